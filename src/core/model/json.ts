/** An object of JSON. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is an object of JSON and not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
