import type { Validator } from '../../gen/api.ts';
import { parseWith } from '../../wire/validate.ts';

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
