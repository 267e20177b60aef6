import { A2AError } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { FieldNames, Method } from './wire.ts';

/** Fields that the wire has below another, by the same names. */
export const fieldsBelow = (prefix: string, names: readonly string[]): FieldNames =>
  Object.fromEntries(names.map((name) => [name, `${prefix}.${name}`]));

/** What a field is called on the wire, by the longest name in the table that it is, or is below. */
function nameOf(field: string, names: FieldNames): string {
  let longest = '';
  for (const name in names) {
    const isIt = field === name || (field.startsWith(name) && /[.[]/.test(field.charAt(name.length)));
    if (isIt && name.length > longest.length) longest = name;
  }
  return longest === '' ? field : names[longest] + field.slice(longest.length);
}

/**
 * An error in which a request that was taken in is found faulty, with the fields as the caller's method calls them: in
 * the violations, and in the text where it names them. Errors in reading a request name them so already.
 */
export function inWireNames(error: A2AError, { fields: names }: Pick<Method, 'fields'>): A2AError {
  const { kind, violations, metadata, retryAfter, cause } = error;
  if (!names || violations.length === 0) return error;
  const renamed = new Map(violations.map(({ field }) => [field, nameOf(field, names)]));
  const message = error.message.replace(/[\w.[\]]+/g, (run) => {
    // A full stop may follow a name.
    const word = trimEnd(run, '.[');
    return (renamed.get(word) ?? word) + run.slice(word.length);
  });
  return new A2AError(kind, message, {
    violations: violations.map(({ field, description }) => ({ field: renamed.get(field) ?? field, description })),
    metadata,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(cause !== undefined && { cause }),
  });
}
