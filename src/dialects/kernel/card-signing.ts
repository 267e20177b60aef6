import type { AgentCard, AgentCardSignature } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';

/**
 * A text that signatures of a card are made over, and what of the card such a signature vouches for. There are several
 * for one card: A2A 1.0 section 8.4.1 says what is left out before a card is signed, and the official SDKs leave out more.
 */
export interface SignedForm {
  /** The payload of the signature (RFC 7515 section 3), before it is encoded. */
  readonly payload: string;
  /**
   * The card without its signatures and without what the payload says nothing about. Empty texts, lists and objects may
   * be in it all the same, where the payload has none.
   */
  readonly vouched: object;
}

/** How cards of a dialect are signed. Pure. */
export interface CardSigning {
  /** What a document's signatures may be made over, the one that most readers verify first; none for what is no card. */
  forms(document: object): SignedForm[];
  /** The v1 card which this dialect encodes as it would encode `card`, with these signatures. */
  attach(card: AgentCard, signatures: readonly AgentCardSignature[]): AgentCard;
}

/** A document without its signatures, which cannot sign themselves. */
export function unsigned(document: object): object {
  const { signatures: _, ...rest } = document as { readonly signatures?: unknown };
  return rest;
}

/**
 * A form, in a list to be spread; nothing where there is no such form: signatures are made over objects that have a
 * canonical form.
 *
 * @param write makes the text. Default: the canonical form
 */
export function formOf(
  value: unknown,
  vouched: object,
  write: (value: unknown) => string = canonicalJson,
): SignedForm[] {
  if (!isObject(value)) return [];
  try {
    return [{ payload: write(value), vouched }];
  } catch {
    return [];
  }
}

/** The document as it stands: how those sign who leave nothing out, or have nothing to leave out. */
export const wholeForm = (document: object): SignedForm[] => formOf(unsigned(document), unsigned(document));

/** Every payload once, with what vouches for most. */
export function distinct(forms: readonly SignedForm[]): SignedForm[] {
  const byPayload = new Map<string, SignedForm>();
  for (const form of forms) {
    const known = byPayload.get(form.payload);
    if (!known || sizeOf(form.vouched) > sizeOf(known.vouched)) {
      byPayload.set(form.payload, form);
    }
  }
  return [...byPayload.values()];
}

/** How much there is of a card. */
export const sizeOf = (vouched: object): number => JSON.stringify(vouched).length;

/**
 * What the official SDKs make of a card before they sign or verify it: empty texts, lists and objects are taken out, from
 * the leaves on, and null. Undefined when nothing is left.
 */
export function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, withoutEmpty(member)])
    .filter(([, member]) => member !== undefined);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
