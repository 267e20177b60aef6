import type { AgentCard } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Api } from '../../gen/api.ts';
import { normalize } from '../../wire/protojson.ts';
import type { Deviation } from '../../wire/salvage-shape.ts';
import { messageShape } from '../../wire/validate.ts';
import { version03 } from '../a2a-0.3/card-mapping.ts';
import { decodeSchemes, decodeSecurity, readRequirements } from '../a2a-0.3/card-security.ts';
import { withDuties } from '../kernel/card-duties.ts';
import { addUnread, objectIn, readLeniently } from '../kernel/card-reading.ts';
import {
  type CardSigning,
  formOf,
  type SignedForm,
  unsigned,
  wholeForm,
  withoutEmpty,
} from '../kernel/card-signing.ts';
import type { Codec } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';

/** The card of a version of A2A 1.x. */
export function v1CardShape(api: Api, version: string, codec: Codec<unknown, AgentCard>): CardShape {
  const type = `${api.package}.AgentCard`;
  const fields = api.fields.messages[type]?.fields ?? [];
  const read = cardReader(api, type, version);
  return {
    paths: ['/.well-known/agent-card.json'],
    protocolVersion: version,
    members: new Set(fields.flatMap(({ jsonName, protoName }) => [jsonName, protoName])),
    signing: v1CardSigning(api),
    encode: codec.encode,
    decode: (document, cx) => {
      if (!cx.unread) return codec.decode(document, cx);
      const { known, deviations } = read(objectIn(document));
      const card = withDuties(codec.decode(known, cx), deviations, (found) => deviations.push(found));
      addUnread(cx.unread, deviations);
      return card;
    },
  };
}
/** Reads a document as a card in canonical ProtoJSON, whatever its content. */
function cardReader(api: Api, type: string, version: string) {
  const find = (name: string) => messageShape(api.fields, name);
  const schemeNames = (api.fields.messages[`${api.package}.SecurityScheme`]?.fields ?? []).flatMap(
    ({ jsonName, protoName }) => [jsonName, protoName],
  );
  return (document: JsonObject): { readonly known: unknown; readonly deviations: Deviation[] } => {
    const older = new OlderForms(document, version, schemeNames);
    const { canonical, twice } = normalizedOnce(api, type, older.read());
    const { interfaceVersion } = older;
    const { wire, deviations } = readLeniently(canonical, { find, card: type, interfaceVersion });
    return { known: wire, deviations: [...older.deviations, ...twice, ...deviations] };
  };
}

/** Finds members of hand-written cards of A2A 1.0 that have the form of A2A 0.3. */
class OlderForms {
  readonly deviations: Deviation[] = [];
  /** Version of an interface that names none: the card's own in A2A 0.3. */
  readonly interfaceVersion: string;
  readonly #document: JsonObject;
  readonly #schemeNames: readonly string[];

  constructor(document: JsonObject, version: string, schemeNames: readonly string[]) {
    const { protocolVersion } = document;
    const isOwn = typeof protocolVersion === 'string' && /^1\.\d+(?:\.\d+)?$/.test(protocolVersion);
    this.interfaceVersion = isOwn ? protocolVersion : version;
    this.#document = document;
    this.#schemeNames = schemeNames;
  }

  /** Returns the document with these members in the form of A2A 1.0. */
  read(): JsonObject {
    const { supported_interfaces, security_requirements, security_schemes, ...rest } = this.#document;
    const interfaces = this.#interfaces(rest.supportedInterfaces ?? supported_interfaces);
    const requirements = this.#requirements(rest.securityRequirements ?? security_requirements);
    const schemes = this.#schemes(rest.securitySchemes ?? security_schemes);
    return {
      ...rest,
      ...(interfaces !== undefined && { supportedInterfaces: interfaces }),
      ...(requirements !== undefined && { securityRequirements: requirements }),
      ...(schemes !== undefined && { securitySchemes: schemes }),
    };
  }

  #interfaces(listed: unknown): unknown {
    const { url, preferredTransport, additionalInterfaces } = this.#document;
    if ((listed ?? undefined) !== undefined) return listed;
    if (typeof url !== 'string') {
      this.deviations.push({ steps: ['supportedInterfaces'], reason: 'is missing', lost: true });
      return undefined;
    }
    this.#note(['supportedInterfaces'], 'is missing: read from url, as in a card of A2A 0.3');
    const others = (Array.isArray(additionalInterfaces) ? additionalInterfaces : []).filter(isObject);
    const all = [{ url, transport: preferredTransport ?? 'JSONRPC' }, ...others.filter((one) => one.url !== url)];
    const { interfaceVersion: protocolVersion } = this;
    return all.map((one) => ({ url: one.url, protocolBinding: one.transport, protocolVersion }));
  }

  #requirements(listed: unknown): unknown {
    const { security } = this.#document;
    if ((listed ?? undefined) === undefined) {
      const isEmpty = (security ?? undefined) === undefined || (Array.isArray(security) && security.length === 0);
      return isEmpty ? listed : this.#readRequirements('security', security);
    }
    return isOwnForm(listed) ? listed : this.#readRequirements('securityRequirements', listed);
  }

  #readRequirements(member: string, value: unknown): unknown {
    const read = readRequirements(value)?.value ?? value;
    const list = Array.isArray(read) ? read.filter(isObject) : [];
    const isWhole = Array.isArray(read) && list.length === read.length;
    const reason = isWhole ? 'is in the form of A2A 0.3' : 'cannot be read as a list of requirements';
    this.deviations.push({ steps: [member], reason, lost: !isWhole });
    return decodeSecurity(list);
  }

  #schemes(schemes: unknown): unknown {
    if (!isObject(schemes)) return schemes;
    const entries = Object.entries(schemes).map(([name, scheme]): [string, unknown] => {
      if (!isObject(scheme) || this.#schemeNames.some((own) => Object.hasOwn(scheme, own))) return [name, scheme];
      const { schemes: read } = decodeSchemes({ [name]: scheme }, version03.schemes);
      if (read[name]) this.#note(['securitySchemes', name], 'is in the form of A2A 0.3');
      return [name, read[name] ?? scheme];
    });
    return Object.fromEntries(entries);
  }

  #note(steps: readonly PropertyKey[], reason: string): void {
    this.deviations.push({ steps, reason, lost: false });
  }
}

/** Whether requirements have the form of A2A 1.0, whatever their values are. */
const isOwnForm = (listed: unknown): boolean =>
  Array.isArray(listed) &&
  listed.every((one) => {
    if (!isObject(one)) return false;
    const { schemes, ...others } = one;
    return Object.keys(others).length === 0 && (schemes === undefined || isObject(schemes));
  });

/** Largest number of members that may be given in both spellings. */
const maxTwice = 20;

/**
 * Returns a document in canonical form. If a member is given by its JSON name and by its proto name, the second is
 * dropped.
 */
function normalizedOnce(
  api: Api,
  type: string,
  document: JsonObject,
): { readonly canonical: JsonObject; readonly twice: Deviation[] } {
  const twice: Deviation[] = [];
  let given: unknown = document;
  for (;;) {
    try {
      return { canonical: objectIn(normalize(api, type, given)), twice };
    } catch (thrown) {
      const [violation] = thrown instanceof A2AError ? thrown.violations : [];
      if (violation === undefined || twice.length >= maxTwice) throw thrown;
      const steps = stepsOf(violation.field);
      twice.push({ steps, reason: violation.description, lost: false });
      given = without(given, steps);
    }
  }
}

const stepsOf = (field: string): PropertyKey[] =>
  [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) => (index === undefined ? text : Number(index)));

/** Copies a value without the part at a path, in either spelling of its names. */
function without(value: unknown, [step, ...rest]: readonly PropertyKey[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? without(item, rest) : item));
  if (!isObject(value) || typeof step !== 'string') return value;
  const proto = step.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const name = Object.hasOwn(value, step) ? step : proto;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [name]: without(member, rest) };
}

/**
 * Signing of cards of A2A 1.0: by section 8.4.1, without defaults unless the proto says REQUIRED or `optional`, which
 * is the content of ProtoJSON; and like the official SDKs in JavaScript and Python, without any empty value. Both use
 * only members of the proto.
 */
export const v1CardSigning = (api: Api): CardSigning => ({
  forms: (document) => [...protoForms(api, unsigned(document)), ...wholeForm(document)],
  attach: (card, signatures) => ({ ...card, signatures: [...signatures] }),
});

function protoForms(api: Api, document: object): SignedForm[] {
  const card = normalized(api, document);
  if (!isObject(card)) return [];
  return [...formOf(withoutEmpty(card), card), ...formOf(card, card)];
}

/** Normalizes a document; undefined if no ProtoJSON parser accepts it. */
function normalized(api: Api, document: object): unknown {
  try {
    return normalize(api, `${api.package}.AgentCard`, document);
  } catch {
    return undefined;
  }
}
