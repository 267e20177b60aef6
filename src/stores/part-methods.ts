import type { A2AError } from '../core/model/errors.ts';

/** A function that runs others, and rejects with the store's error for theirs. */
export const guardWith =
  (failure: (error: unknown) => A2AError) =>
  async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      throw failure(error);
    }
  };

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Some methods of a part, each of which runs inside `around`. */
export function methodsOf<Part, Name extends keyof Part>(
  around: (use: (part: Part) => Promise<unknown>) => Promise<unknown>,
  ...names: Name[]
): Pick<Part, Name> {
  const methods = names.map((name): [Name, Method] => [
    name,
    (...parameters) => around((part) => (part as Record<Name, Method>)[name](...parameters)),
  ]);
  return Object.fromEntries(methods) as Pick<Part, Name>;
}
