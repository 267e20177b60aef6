import { shapes } from '../../gen/a2a-0.3/shapes.ts';
import type { AgentCard } from '../../gen/a2a-0.3/types.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { readWith } from '../../wire/validate.ts';
import { formOf, type SignedForm, unsigned, wholeForm, withoutEmpty } from '../kernel/card-signing.ts';

/**
 * What signatures of a card of A2A 0.3 may be made over. The specification of 0.3 only names JWS; its Python SDK, the only
 * one that signs, leaves out what its models do not know, what is their default, and what is empty.
 */
export function signedForms(document: object): SignedForm[] {
  const { known, issues } = readWith(shapes, 'AgentCard', unsigned(document));
  const form = issues.length === 0 ? pythonForm(known as AgentCard) : [];
  return [...form, ...wholeForm(document)];
}

/** @param card without members that the schema of 0.3 does not know */
function pythonForm(card: AgentCard): SignedForm[] {
  const { knowledgeGraph: _, knowledgeGraphQueryLanguages: __, ...capabilities } = card.capabilities;
  const known = { ...card, capabilities, ...withSchemes(card, knownScheme) };
  const { protocolVersion, preferredTransport, ...rest } = known;
  const signed = {
    ...rest,
    ...(protocolVersion !== '0.3.0' && { protocolVersion }),
    ...(preferredTransport !== 'JSONRPC' && { preferredTransport }),
    ...withSchemes(known, withoutType),
  };
  return formOf(withoutEmpty(signed), known, ascii);
}

function withSchemes({ securitySchemes }: AgentCard, change: (scheme: unknown) => unknown): Partial<AgentCard> {
  if (!securitySchemes) return {};
  const changed = Object.entries(securitySchemes).map(([name, scheme]) => [name, change(scheme)]);
  return { securitySchemes: Object.fromEntries(changed) };
}

/** A scheme that the schema does not know stays as it is. */
function knownScheme(scheme: unknown): unknown {
  const { known, issues } = readWith(shapes, 'SecurityScheme', scheme);
  return issues.length === 0 ? known : scheme;
}

/** Without the type of a known scheme, which the models find out by the other members. */
function withoutType(scheme: unknown): unknown {
  if (readWith(shapes, 'SecurityScheme', scheme).issues.length > 0) return scheme;
  const { type: _, ...rest } = scheme as { type: unknown };
  return rest;
}

/** As Python's `json.dumps` writes: characters beyond ASCII escaped. */
const ascii = (value: unknown): string =>
  canonicalJson(value).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
