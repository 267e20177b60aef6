import { type Bundle, bundleOf, joined, readBundle, SchemaError, withFinite } from '../bundle.ts';
import { disagreements } from '../check.ts';
import type { Image } from '../image.ts';
import type { Definitions } from '../json-schema.ts';
import type { Model } from '../model.ts';
import { overlay } from '../overlay.ts';

/** A version of A2A, or a user's variant of one, from which files are generated. */
export interface Spec {
  /** Name in headers and messages: `A2A 1.0`, or the paths of its files. */
  readonly title: string;
  /** Descriptors of the proto and all its imports, with comments. */
  readonly image: Image;
  readonly model: Model;
  /** Shapes of the proto, with the descriptions of its JSON Schema bundle. */
  readonly bundle: Bundle;
  /** JSON form of A2A 0.3, which differs from that of its proto. */
  readonly definitions?: Definitions;
}

/** Error: the generators cannot use an input. The message names the file, and the line or the field. */
export class InputError extends Error {
  /** Further lines, such as one for each invalid field. */
  readonly details: readonly string[];

  constructor(message: string, { details = [], ...options }: ErrorOptions & { details?: readonly string[] } = {}) {
    super(message, options);
    this.details = details;
  }
}

/**
 * Combines a proto with its bundle, after comparing them field by field.
 *
 * @param schema the parsed bundle; undefined: shapes and descriptions come from the proto alone
 * @throws InputError that lists the differences
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
