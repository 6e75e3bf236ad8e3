/** Messages between the benchmark and its child processes. */
export type CallMessage = { readonly id: number; readonly name: string; readonly argument: readonly unknown[] };

export type ChildMessage =
  | { readonly type: 'ready'; readonly clock: number }
  | { readonly type: 'value'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly text: string };

/** Functions of a child process, by name. */
export type Calls<C> = { readonly [Name in keyof C]: (...argument: never[]) => Promise<unknown> };
