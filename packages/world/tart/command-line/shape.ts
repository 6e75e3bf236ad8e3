/** What a subcommand takes, as ArgumentParser would be told. */
export interface CommandShape {
  readonly name: string;
  readonly about: string;
  readonly hidden?: boolean;
  readonly positional: readonly PositionalShape[];
  readonly options: readonly OptionShape[];
}

export interface PositionalShape {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** Takes all that is left. */
  readonly repeated?: boolean;
  /** Takes all that is left, options too: the guest's command. */
  readonly passthrough?: boolean;
}

export interface OptionShape {
  readonly name: string;
  readonly short?: string;
  /** What the value is called; without it the option is a flag. */
  readonly value?: string;
  readonly integer?: boolean;
  readonly repeated?: boolean;
  readonly oneOf?: readonly string[];
}

/** Shorthand for the tables. */
export const flag = (name: string, short?: string): OptionShape => ({
  name,
  ...(short === undefined ? {} : { short }),
});
export const option = (name: string, more: Omit<OptionShape, 'name'> = {}): OptionShape => ({
  name,
  value: name,
  ...more,
});
