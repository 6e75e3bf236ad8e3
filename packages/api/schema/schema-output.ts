import type { z } from 'zod';

/**
 * The type of a parsed value, as JSON has it: an optional field is there or it is not, it is never `undefined`.
 * zod allows `undefined` in its types, which `exactOptionalPropertyTypes` rejects where an exact type is required.
 */
export type SchemaOutput<S extends z.ZodType> = Exact<z.output<S>>;

type Exact<T> = T extends readonly (infer Item)[]
  ? Exact<Item>[]
  : T extends object
    ? { [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }
    : T;
