import { type Block, parseBlock } from './ranges.ts';

/** A target that the operator allows: a host name, all names below a name, or an address block. */
export type Allowed = {
  /** The allowed port. Undefined for all ports except those of other services. */
  readonly port: number | undefined;
} & ({ readonly name: string } | { readonly suffix: string } | { readonly block: Block });

/** Description of a valid line, for error messages. */
export const expectedAllowed =
  'a host such as hooks.internal or *.corp.example, an address such as 10.1.2.3, or a block such as 10.1.0.0/16 or fd00::/8, with a port if only that port is meant';

/** One label of a host name, in ASCII. */
const label = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;

/**
 * Reads a line of `outbound.allow`. Undefined if it is invalid. An IPv6 address before a port is written in brackets.
 */
export function readAllowed(text: string): Allowed | undefined {
  const [, bracketed, host = '', written] = /^(?:\[([^\]]+)\]|(.+?))(?::(\d{1,5}))?$/.exec(text) ?? [];
  // An IPv6 address without brackets has no port.
  const whole = bracketed === undefined ? parseBlock(text) : undefined;
  const port = whole !== undefined || written === undefined ? undefined : Number(written);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const block = whole ?? parseBlock(bracketed ?? host);
  if (block !== undefined) return { block, port };
  if (bracketed !== undefined) return undefined;
  const below = host.startsWith('*.');
  const name = readName(below ? host.slice(2) : host);
  if (name === undefined) return undefined;
  return below ? { suffix: `.${name}`, port } : { name, port };
}

/** Converts a host name to the form in which names are compared. Undefined if it is invalid. */
function readName(text: string): string | undefined {
  if (/[/?#@\\\s%*]/.test(text)) return undefined;
  const name = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, '');
  // A text that the URL parser reads as another spelling of an address is not a name.
  return name?.split('.').every((part) => label.test(part)) && parseBlock(name) === undefined ? name : undefined;
}
