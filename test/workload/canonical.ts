import { fromJson, toJson } from '@bufbuild/protobuf';
import { registry } from '../support/descriptors.ts';

/**
 * A key of metadata under which a dialect keeps how something was said in it, or a gateway which message is in hand, or waits for people: the client of
 * the package does not show it.
 */
const ofDialect = /^a2a-gateway\/(?:(?:agentvault|a2a)-|turn$|ask$)/;

/** A value without what dialects keep in its metadata. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (name !== 'metadata' || typeof member !== 'object' || member === null) return [name, shown(member)];
    const kept = Object.entries(member).filter(([key]) => !ofDialect.test(key));
    return [name, kept.length > 0 ? Object.fromEntries(kept) : undefined];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Returns comparable JSON for values that arrived over different bindings: the JSON that protobuf makes of them. */
function canonical(type: string): (value: unknown) => string {
  const message = registry.getMessage(`lf.a2a.v1.${type}`);
  if (!message) throw new Error(`no type ${type}`);
  return (value) =>
    JSON.stringify(toJson(message, fromJson(message, shown(value) as never, { registry }), { registry }));
}

export const canonicalEvent: (value: unknown) => string = canonical('StreamResponse');
export const canonicalTask: (value: unknown) => string = canonical('Task');
export const canonicalMessage: (value: unknown) => string = canonical('Message');
