import { A2AError } from '../../core/model/errors.ts';
import type { Validator } from '../../gen/api.ts';
import { isTimestamp } from '../../gen/checks.ts';
import { parseWith } from '../../wire/validate.ts';
import { canonicalTimestamp } from '../../wire/values.ts';

type Guard = (value: unknown) => boolean;
type Guarded<G> = G extends (value: unknown) => value is infer T ? T : never;

/**
 * Checks that a value has a shape of a dialect, and returns it with all its members, known or not.
 *
 * @throws A2AError of kind `invalidParams` that names the faulty fields
 */
export type Reader<Guards> = <K extends keyof Guards & string>(name: K, value: unknown) => Guarded<Guards[K]>;

/**
 * The reader of some shapes.
 *
 * @param guards the quick check
 * @param validators find the faults of a value that fails it
 */
export function readerOf<Guards extends Readonly<Record<string, Guard>>>(
  guards: Guards,
  validators: { readonly [K in keyof Guards]: Validator },
): Reader<Guards> {
  return (name, value) =>
    (guards[name] as Guard)(value)
      ? (value as Guarded<Guards[typeof name]>)
      : parseWith<Guarded<Guards[typeof name]>>(validators[name], value);
}

const chosenId = /^[A-Za-z0-9_.~-]{1,128}$/;

/**
 * Checks an id that a caller gives to a task.
 *
 * @param field that holds the id, for the error
 * @throws A2AError `invalidParams`
 */
export function requireChosenId(id: string, field: string): void {
  if (chosenId.test(id)) return;
  const description = 'must be 1 to 128 letters, digits and any of _ . ~ -';
  throw A2AError.invalidParams(undefined, [{ field, description }]);
}

/**
 * A time in ISO 8601, in UTC where it has no offset, as UTC with milliseconds; finer digits are cut off.
 *
 * @param field path of the text, for the error
 * @throws A2AError `invalidParams` for any other text
 */
export function decodeTime(text: string, field: string): string {
  const canonical = canonicalTimestamp(text.trim());
  if (isTimestamp(canonical)) return canonical;
  throw A2AError.invalidParams(undefined, [{ field, description: 'must be a time in ISO 8601' }]);
}
