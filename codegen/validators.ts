import type { Bundle, BundleField } from './bundle.ts';
import { header, literal, propertyKey, quote } from './emit.ts';
import { checkedType, itemGuard, keyGuard } from './guards.ts';
import type { Model, ModelField } from './model.ts';

/**
 * Source of the validators of a package: the shapes of the bundle, what is required and exclusive from the proto.
 * They judge canonical ProtoJSON, so names are camelCase, enums are names and nulls are gone.
 *
 * @param source what the header names as the input
 */
export function validatorsSource(model: Model, bundle: Bundle, source: string): string {
  const reach = reachability(bundle);
  const byName = new Map(model.messages.map((message) => [message.name, message]));
  const messages = bundle.messages.map(({ name, fields }) => {
    const message = byName.get(name);
    const rows = fields.map((field) => {
      const proto = message?.fields.find(({ jsonName }) => jsonName === field.jsonName);
      return `    ${propertyKey(field.jsonName)}: ${fieldSource(field, proto, name, reach)},\n`;
    });
    const choices = message?.oneofs.length ? `, ${literal(message.oneofs)}` : '';
    return `const ${name} = c.once(() =>\n  c.message({\n${rows.join('')}  }${choices}),\n);\n`;
  });
  // some…: without the zero value, for required fields.
  const enums = model.enums.flatMap(({ name, values }) => {
    const schema = (prefix: string, from: typeof values): string =>
      `const ${prefix}${name} = c.once(() => c.names(${literal(from.map((value) => value.name))}));\n`;
    const some = messages.some((text) => text.includes(`some${name}()`));
    const nonZero = values.filter(({ number }) => number !== 0);
    return [schema('', values), ...(some ? [schema('some', nonZero)] : [])];
  });
  const rows = (source: (name: string) => string): string =>
    model.messages.map(({ name, fullName }) => `  ${quote(fullName)}: ${source(name)},\n`).join('');
  return `${header(source)}
import type { Validator } from '../api.ts';
import * as c from '../checks.ts';
import * as is from './guards.ts';

${enums.join('')}
${messages.join('\n')}
/** Schemas of \`${model.package}\` by full message name. */
export const schemas: Readonly<Record<string, () => c.Schema>> = {
${rows((name) => name)}};

/** Validators of \`${model.package}\` by full message name. */
export const validators: Readonly<Record<string, Validator>> = {
  'google.protobuf.Empty': c.validator(c.isObject, () => c.struct),
${rows((name) => `c.validator(is.is${name}, ${name})`)}};
`;
}

function fieldSource(
  field: BundleField,
  proto: ModelField | undefined,
  from: string,
  reach: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const strict = proto?.required === true && !proto.defaulted;
  let schema = valueSource(field, strict && !field.repeated && field.kind !== 'map', from, reach);
  const guard = itemGuard(field, 'c', 'is.');
  if (field.kind === 'map') {
    const keys = field.keyType && keyGuard(field.keyType, 'c');
    schema = `c.map(${schema}, ${guard}${keys ? `, ${keys.guard}, ${quote(keys.phrase)}` : ''})`;
  }
  if (field.repeated) schema = `c.${strict ? 'someOf' : 'list'}(${schema}, ${guard})`;
  return proto?.required && field.kind !== 'value' ? schema : `c.optional(${schema})`;
}

function valueSource(
  field: BundleField,
  strict: boolean,
  from: string,
  reach: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const kind = field.valueKind ?? field.kind;
  if (kind === 'message') {
    const cyclic = reach.get(field.type)?.has(from) === true;
    return cyclic ? `c.lazy(${field.type})` : `${field.type}()`;
  }
  if (kind === 'enum') return strict ? `some${field.type}()` : `${field.type}()`;
  if (kind === 'list') return 'c.array';
  if (kind !== 'scalar') return `c.${kind}`;
  if (field.finite) return 'c.number';
  if (field.type === 'string') return strict ? 'c.someText' : 'c.text';
  return `c.${checkedType(field.type)}`;
}

/** For each message, those that it can contain at any depth. */
function reachability(bundle: Bundle): Map<string, Set<string>> {
  const direct = new Map(
    bundle.messages.map(({ name, fields }) => [
      name,
      fields.filter((field) => (field.valueKind ?? field.kind) === 'message').map(({ type }) => type),
    ]),
  );
  const reached = new Map<string, Set<string>>();
  for (const start of direct.keys()) {
    const seen = new Set<string>();
    const queue = [...(direct.get(start) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(direct.get(next) ?? []));
    }
    reached.set(start, seen);
  }
  return reached;
}
