import { A2AError } from '../../core/model/errors.ts';
import type { Validator } from '../../gen/api.ts';
import { isTimestamp } from '../../gen/checks.ts';
import { parseWith } from '../../wire/validate.ts';
import { canonicalTimestamp } from '../../wire/values.ts';

type Guard = (value: unknown) => boolean;
type Guarded<G> = G extends (value: unknown) => value is infer T ? T : never;

/**
 * Takes what arrived as a shape of a dialect: the value itself, with members that the shape does not know.
 *
 * @throws A2AError of kind `invalidParams`, naming the faulty fields
 */
export type Reader<Guards> = <K extends keyof Guards & string>(name: K, value: unknown) => Guarded<Guards[K]>;

/**
 * The reader of some shapes.
 *
 * @param guards say quickly that a value is a shape
 * @param validators are asked what is wrong when it is not
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
 * An id that its caller may give to a task.
 *
 * @param field that holds the id, for the error
 * @throws A2AError `invalidParams` for any other
 */
export function requireChosenId(id: string, field: string): void {
  if (chosenId.test(id)) return;
  const description = 'must be 1 to 128 letters, digits and any of _ . ~ -';
  throw A2AError.invalidParams(undefined, [{ field, description }]);
}

/**
 * ISO 8601 with any offset, and UTC where there is none, as UTC with milliseconds; finer digits are cut off.
 *
 * @param field path of the text, for the error
 * @throws A2AError `invalidParams` when it is no time
 */
export function decodeTime(text: string, field: string): string {
  const canonical = canonicalTimestamp(text.trim());
  if (isTimestamp(canonical)) return canonical;
  throw A2AError.invalidParams(undefined, [{ field, description: 'must be a time in ISO 8601' }]);
}
