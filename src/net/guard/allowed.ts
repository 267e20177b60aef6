import { type Block, parseBlock, plainBlock } from './address.ts';

/** A target that the operator allows: a host name, all names below one, or a block of addresses. */
export type Allowed = {
  /** Undefined: every port that is not another service's. */
  readonly port: number | undefined;
} & ({ readonly name: string } | { readonly suffix: string } | { readonly block: Block });

/** What is said when something else stands there. */
export const expectedAllowed =
  'a host such as hooks.internal or *.corp.example, an address such as 10.1.2.3, or a block such as 10.1.0.0/16 or fd00::/8, with a port where it is meant on that port only';

/** One label of a host name; international ones in their ASCII form. */
const label = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;

/** Reads a line of `outbound.allow`. Undefined when the text is none. IPv6 stands in brackets where a port follows. */
export function readAllowed(text: string): Allowed | undefined {
  const [, bracketed, bare = '', written] = /^(?:\[([^\]]+)\]|(.+?))(?::(\d{1,5}))?$/.exec(text) ?? [];
  // An IPv6 address without brackets is all address.
  const whole = bracketed === undefined ? parseBlock(text) : undefined;
  const port = whole !== undefined || written === undefined ? undefined : Number(written);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const block = whole ?? parseBlock(bracketed ?? bare);
  if (block !== undefined) return { block: plainBlock(block), port };
  if (bracketed !== undefined) return undefined;
  const below = bare.startsWith('*.');
  const name = readName(below ? bare.slice(2) : bare);
  if (name === undefined) return undefined;
  return below ? { suffix: `.${name}`, port } : { name, port };
}

/** A host name as it is compared. */
function readName(text: string): string | undefined {
  if (/[/?#@\\\s%*]/.test(text)) return undefined;
  const name = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, '');
  // What the URL parser takes for an address in another spelling is no name.
  return name?.split('.').every((part) => label.test(part)) && parseBlock(name) === undefined ? name : undefined;
}
