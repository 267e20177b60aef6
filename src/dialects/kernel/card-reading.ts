import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Shape } from '../../gen/api.ts';
import {
  type Deviation,
  type Leniency,
  type Reading,
  salvageShape,
  type Unread,
  unreadOf,
} from '../../wire/salvage-shape.ts';

/**
 * Reads cards member by member: unusable parts of a card are left out by name, and the rest is used. The shapes are
 * those of the dialects; rules for cards alone are here.
 */

/** Placeholder for an address that a card does not contain in a usable form: the agent's base URL. */
export const baseAddress = '.';

/** Name of an agent whose card has none. */
export const unnamedAgent = 'unnamed agent';

export interface CardReadingOptions {
  /** Returns a shape of the dialect by name. */
  readonly find: (name: string) => Shape;
  /** Name of the card's shape. Default: `AgentCard`. */
  readonly card?: string;
  /** Version of an interface that names none. */
  readonly interfaceVersion: string;
  /** Other readings of the dialect's own members, which come before those of all dialects. */
  readonly reread?: NonNullable<Leniency['reread']>;
}

/** A card in its dialect's shape, and each piece that was not read as written. */
export interface LenientReading<Wire> {
  readonly wire: Wire;
  readonly deviations: Deviation[];
}

/** Reads an object as a card. */
export function readLeniently<Wire>(document: JsonObject, options: CardReadingOptions): LenientReading<Wire> {
  const { find, card = 'AgentCard', interfaceVersion, reread } = options;
  const leniency: Leniency = {
    mainMembers,
    flagged,
    fillable,
    reread: (owner, member, value) => reread?.(owner, member, value) ?? rereadMember(owner, member, value),
    fill: (owner, member, rest, at) => fillMember(owner, member, { rest, at, interfaceVersion }),
  };
  const { value, deviations } = salvageShape({ find }, { $ref: card }, document, leniency);
  return { wire: value as Wire, deviations: [...deviations] };
}

/** Adds deviations to the list of a conversion. */
export function addUnread(unread: Unread[], deviations: readonly Deviation[]): void {
  for (const deviation of deviations) unread.push(unreadOf(deviation));
}

const mainMembers: Leniency['mainMembers'] = {
  AgentProvider: 'organization',
  AgentExtension: 'uri',
  AgentInterface: 'url',
  AgentSkill: 'name',
};

const flagged: Leniency['flagged'] = new Set(['AgentCapabilities']);

/**
 * Objects that are kept if a required member cannot be read. Other objects are left out: schemes, flows, signatures.
 */
const fillable: Leniency['fillable'] = new Set([
  ...['AgentCard', 'AgentProvider', 'AgentCapabilities', 'AgentExtension', 'AgentInterface', 'AgentSkill'],
  'StringList',
]);

/** Members that hold lists of short words. */
const wordLists: ReadonlySet<string> = new Set([
  ...['tags', 'inputModes', 'outputModes', 'defaultInputModes', 'defaultOutputModes', 'supportedMessageParts'],
]);

function rereadMember(owner: string, member: string, value: unknown): Reading | undefined {
  if (wordLists.has(member) && typeof value === 'string') {
    const words = value.split(',').flatMap((word) => word.trim() || []);
    return { value: words, reason: `is a text: read as a list of ${words.length}` };
  }
  if (owner === 'AgentExtension' && member === 'required') return readRequired(value);
  if (member === 'url' && addressed.has(owner)) return readAddress(value);
  if (bindingMembers.has(member)) return readBinding(value);
  if (value === '' && (`${owner}.${member}` === 'AgentSkill.id' || `${owner}.${member}` === 'AgentCard.name')) {
    return { value: undefined, reason: 'is empty' };
  }
  return member === 'protocolVersion' ? readVersion(value) : undefined;
}

const addressed: ReadonlySet<string> = new Set(['AgentCard', 'AgentInterface']);
const calledAtBase = 'the agent is called where its card was found';

function readAddress(value: unknown): Reading | undefined {
  if (typeof value === 'string' && value.trim() !== '') return undefined;
  const what = value === '' ? 'is empty' : 'is no text';
  return { value: baseAddress, reason: `${what}: ${calledAtBase}` };
}

const bindingMembers: ReadonlySet<string> = new Set(['protocolBinding', 'preferredTransport', 'transport']);

/** Bindings by the words for them in real cards, in lower case and without punctuation. */
const bindingWords: ReadonlyMap<string, string> = new Map([
  ...['jsonrpc', 'jsonrpc2', 'jsonrpc20', 'jsonrpcoverhttp', 'jsonrpchttp', 'http', 'https'].map(
    (word) => [word, 'JSONRPC'] as const,
  ),
  ...['httpjson', 'rest', 'restful', 'restjson', 'httprest'].map((word) => [word, 'HTTP+JSON'] as const),
  ['grpc', 'GRPC'] as const,
]);

/**
 * Reads a binding that is named in another way. An unknown name stays unchanged: it may name a binding that is not known here.
 */
function readBinding(value: unknown): Reading | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string' || value.trim() === '')
    return { value: undefined, reason: 'is no text with a binding' };
  const known = bindingWords.get(value.toLowerCase().replace(/[^a-z0-9]/g, ''));
  if (known === undefined || known === value.toUpperCase()) return undefined;
  return { value: known, reason: `is read as ${known}` };
}

/** Reads a value other than true and false as true, because it may be a requirement on callers. */
function readRequired(value: unknown): Reading | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  const isRequired = !['false', 'no', 'off', '0', '', 0].includes(text as string);
  return { value: isRequired, reason: `is neither true nor false: read as ${isRequired}` };
}

/** Reads a version that is a number, or has a letter before it. JSON cannot distinguish 1.0 from 1. */
function readVersion(value: unknown): Reading | undefined {
  if (typeof value === 'number') {
    const text = Number.isInteger(value) ? `${value}.0` : String(value);
    return { value: text, reason: `is a number: read as ${text}` };
  }
  const [, text] = typeof value === 'string' ? (/^\s*v?(\d+(?:\.\d+)*)\s*$/i.exec(value) ?? []) : [];
  return text === undefined || text === value ? undefined : { value: text, reason: `is read as ${text}` };
}

interface FillOptions {
  readonly rest: JsonObject;
  /** The last step of the object's path. */
  readonly at: PropertyKey | undefined;
  readonly interfaceVersion: string;
}

function fillMember(owner: string, member: string, { rest, at, interfaceVersion }: FillOptions): Reading | undefined {
  const filled = (value: string): Reading => ({ value, reason: `is missing: read as ${JSON.stringify(value)}` });
  const name = `${owner}.${member}`;
  if (member === 'url' && addressed.has(owner)) return { value: baseAddress, reason: `is missing: ${calledAtBase}` };
  if (name === 'AgentCard.name') return filled(unnamedAgent);
  if (name === 'AgentSkill.id') return filled(slug(rest.name) ?? `skill-${String(at)}`);
  if (name === 'AgentSkill.name' && typeof rest.id === 'string') return filled(rest.id);
  if (name === 'AgentInterface.protocolBinding' || name === 'AgentInterface.transport')
    return filled(bindingAt(rest.url));
  if (name === 'AgentInterface.protocolVersion') return filled(interfaceVersion);
  if (name === 'AgentCard.version' || name === 'AgentCard.agentVersion') return filled('0.0.0');
  if (name === 'AgentCard.defaultInputModes' || name === 'AgentCard.defaultOutputModes') {
    return { value: ['text/plain'], reason: 'is missing: read as text/plain' };
  }
  return undefined;
}

const isHostAndPort = (url: string): boolean => /^[\w.-]+:\d+$/.test(url) && !url.startsWith('localhost:');

/** Returns the binding of an address: a host and a port alone are an address of gRPC. */
export const bindingAt = (url: unknown): string =>
  typeof url === 'string' && (/^grpcs?:/i.test(url) || isHostAndPort(url)) ? 'GRPC' : 'JSONRPC';

/** Converts a text to an id: letters, digits and hyphens. */
function slug(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 ? words.join('-').slice(0, 64) : undefined;
}

/** Levels of a document that are read. */
const maxDepth = 64;

/**
 * Returns a document without values that no card can hold: members called `__proto__`, halves of characters, endless
 * nesting. Without any, the document itself is returned.
 *
 * @param unread is filled with the removed values
 */
export function cleanDocument(document: unknown, unread: Unread[]): unknown {
  const cleaner = new Cleaner();
  const clean = cleaner.clean(document);
  addUnread(unread, cleaner.deviations);
  return clean;
}

class Cleaner {
  readonly deviations: Deviation[] = [];
  readonly #path: PropertyKey[] = [];

  clean(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#path.length >= maxDepth) return this.#drop(`is left out: it is nested deeper than ${maxDepth}`);
    return Array.isArray(value) ? this.#list(value) : this.#object(value);
  }

  #text(text: string): string {
    if (text.isWellFormed()) return text;
    this.#drop('has half a character: read as U+FFFD');
    return text.toWellFormed();
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    const items = list.map((item, at) => this.#at(at, () => this.clean(item)));
    return items.every((item, at) => item === list[at]) ? list : items.filter((item) => item !== undefined);
  }

  #object(object: object): object {
    const entries = Object.entries(object).flatMap(([name, member]): [string, unknown][] => {
      const read = this.#at(name, () =>
        name === '__proto__' ? this.#drop('is no name of a member') : this.clean(member),
      );
      return read === undefined ? [] : [[name, read]];
    });
    const isSame = entries.every(([name, member]) => member === (object as JsonObject)[name]);
    return isSame && entries.length === Object.keys(object).length ? object : Object.fromEntries(entries);
  }

  #at(step: PropertyKey, read: () => unknown): unknown {
    this.#path.push(step);
    const value = read();
    this.#path.pop();
    return value;
  }

  #drop(reason: string): undefined {
    if (this.deviations.length < 100) this.deviations.push({ steps: [...this.#path], reason, lost: true });
    return undefined;
  }
}

/** Returns the names of the members of a shape. */
export const membersOf = ({ properties = {} }: Shape): ReadonlySet<string> => new Set(Object.keys(properties));

/** Returns an object, or an empty one if a document is none. */
export const objectIn = (document: unknown): JsonObject => (isObject(document) ? document : {});
