import type { A2AError } from '../core/model/errors.ts';

/** Returns the store's error after an error of the database. */
export type Failure = (error: unknown) => A2AError;

/** Wraps functions so that they reject with the store's error for errors of the database. */
export const guardWith =
  (failure: Failure) =>
  async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      throw failure(error);
    }
  };

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Some methods of a part, each of which finds the open parts and rejects with the store's error. */
export function methodsOf<Parts extends { readonly failure: Failure }, P extends keyof Parts, N extends keyof Parts[P]>(
  open: () => Parts,
  part: P,
  ...names: N[]
): Pick<Parts[P], N> {
  const methods = names.map((name): [N, Method] => [
    name,
    async (...parameters) => {
      const parts = open();
      try {
        return await (parts[part] as Record<N, Method>)[name](...parameters);
      } catch (error) {
        throw parts.failure(error);
      }
    },
  ]);
  return Object.fromEntries(methods) as Pick<Parts[P], N>;
}
