import { isObject, parsedJson } from '../../core/model/json.ts';
import { looseJson } from '../../wire/loose-json.ts';
import { inCamelCase } from './document-forms.ts';

/** Members in which servers wrap a card. */
const wrappers = ['agentCard', 'agent_card', 'card', 'result', 'data'];

/** Members by which a card is recognized. */
const cardMembers = ['name', 'url', 'skills', 'supportedInterfaces', 'supported_interfaces', 'capabilities'];

const hasCardMembers = (value: unknown): boolean =>
  isObject(value) && cardMembers.some((name) => Object.hasOwn(value, name));

/**
 * Parses the card in a text of JSON, or nearly so: also in a list of one, in another object, as text, or with names
 * that begin with capitals. Undefined for any other text.
 */
export function cardIn(text: string): unknown {
  const document = parsedJson(text);
  if (document !== undefined) return unwrapped(document);
  const loose = looseJson(text);
  const value = loose && unwrapped(parsedJson(loose.text));
  // A page may have JSON of its own.
  return loose?.isWithinText && !hasCardMembers(value) ? undefined : value;
}

function unwrapped(document: unknown, depth = 0): unknown {
  if (depth > 3) return document;
  if (Array.isArray(document) && document.length === 1) return unwrapped(document[0], depth + 1);
  if (typeof document === 'string') return unwrapped(parsedJson(document), depth + 1) ?? document;
  if (!isObject(document) || hasCardMembers(document)) return document;
  const wrapper = wrappers.find((name) => Object.hasOwn(document, name));
  if (wrapper !== undefined) return unwrapped(document[wrapper], depth + 1);
  return Object.hasOwn(document, 'Name') ? inCamelCase(document) : document;
}
