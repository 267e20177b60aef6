import { A2AError } from '../../core/model/errors.ts';
import type { Guard } from '../../gen/api.ts';
import { isTimestamp } from '../../gen/checks.ts';
import { readWith, refusal, type Shapes } from '../../wire/validate.ts';
import { canonicalTimestamp } from '../../wire/values.ts';

/** The shapes that have a guard: `Task`, whose guard is `isTask`. */
export type ShapeOf<Guards> = { [K in keyof Guards]: K extends `is${infer Shape}` ? Shape : never }[keyof Guards];

type Guarded<G> = G extends (value: unknown) => value is infer T ? T : never;

/**
 * Checks that a value has a shape of a dialect, and returns it with all its members, known or not.
 *
 * @throws A2AError of kind `invalidParams` that names the faulty fields
 */
export type Reader<Guards> = <Shape extends ShapeOf<Guards> & string>(
  shape: Shape,
  value: unknown,
) => Guarded<Guards[`is${Shape}` & keyof Guards]>;

/** @param shapes for finding the faults of a value that fails its guard */
export function readerOf<Guards extends object>(
  guards: Guards,
  shapes: Shapes<ShapeOf<Guards> & string>,
): Reader<Guards> {
  const entries = Object.entries<Guard>(guards as never).map(([name, guard]) => [name.slice(2), guard]);
  const byShape: Readonly<Record<string, Guard>> = Object.fromEntries(entries);
  return (shape, value) => {
    if (!(byShape[shape] as Guard)(value)) throw refusal(readWith(shapes, shape, value, byShape).issues);
    return value as never;
  };
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
  throw A2AError.invalidField(field, 'must be 1 to 128 letters, digits and any of _ . ~ -');
}

/**
 * Converts a time in ISO 8601, in UTC if it has no offset, to UTC with milliseconds; finer digits are cut off.
 *
 * @param field path of the text, for the error
 * @throws A2AError `invalidParams` for any other text
 */
export function decodeTime(text: string, field: string): string {
  const canonical = canonicalTimestamp(text.trim());
  if (isTimestamp(canonical)) return canonical;
  throw A2AError.invalidField(field, 'must be a time in ISO 8601');
}
