import { type Bundle, bundleOf, joined, readBundle, SchemaError, withFinite } from '../bundle.ts';
import { disagreements } from '../check.ts';
import type { Image } from '../image.ts';
import type { Definitions } from '../json-schema.ts';
import type { Model } from '../model.ts';
import { overlay } from '../overlay.ts';

/** A version of A2A, or what a user has made of one: what files are generated from. */
export interface Spec {
  /** The name that headers and messages have for it: `A2A 1.0`, or the paths of its files. */
  readonly title: string;
  /** The descriptors of its proto and of all that it imports, with comments. */
  readonly image: Image;
  readonly model: Model;
  /** The shapes of the proto, with the words of its JSON Schema bundle. */
  readonly bundle: Bundle;
  /** The JSON form of A2A 0.3, which is not that of its proto. */
  readonly definitions?: Definitions;
}

/** An input that the generators cannot use; the message names the file, and the line or the field. */
export class InputError extends Error {
  /** More lines, such as one for each field that is wrong. */
  readonly details: readonly string[];

  constructor(message: string, { details = [], ...options }: ErrorOptions & { details?: readonly string[] } = {}) {
    super(message, options);
    this.details = details;
  }
}

/**
 * A proto with its bundle, held against each other field by field.
 *
 * @param schema the parsed bundle; undefined: the shapes and words are those of the proto alone
 * @throws InputError naming what differs
 */
export function withBundle(
  model: Model,
  schema: { readonly name: string; readonly json: unknown } | undefined,
): Pick<Spec, 'model' | 'bundle'> {
  if (schema === undefined) return { model, bundle: bundleOf(model) };
  const bundle = bundleIn(schema, model);
  const differences = disagreements(model, bundle, overlay);
  if (differences.length > 0) {
    const details = differences.map(({ at, says }) => `${at}: ${says}`);
    const places = details.length === 1 ? 'one place' : `${details.length} places`;
    throw new InputError(`${schema.name} disagrees with the proto in ${places}`, { details });
  }
  return { model: withFinite(model, bundle), bundle: joined(model, bundle) };
}

function bundleIn({ name, json }: { readonly name: string; readonly json: unknown }, model: Model): Bundle {
  try {
    return readBundle(json, model);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new InputError(`${name}: ${error.message}`, { cause: error });
  }
}
