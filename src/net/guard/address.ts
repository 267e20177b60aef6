import { isIP } from 'node:net';

/** The bytes of an IP address: 4 or 16. */
export type Address = readonly number[];

/** A block of addresses, as CIDR notation has it. */
export interface Block {
  readonly address: Address;
  /** How many bits of the address count. */
  readonly bits: number;
}

/** The address that a text spells, in dotted or colon form, its zone left out; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return text.split('.').map(Number);
  const bare = text.replace(/%.*$/s, '');
  const last4 = bare.slice(bare.lastIndexOf(':') + 1);
  const dotted = last4.includes('.') ? last4 : undefined;
  const groups = (part: string): number[] =>
    part === ''
      ? []
      : part.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  const hex = dotted === undefined ? bare : bare.slice(0, -dotted.length).replace(/([^:]):$/, '$1');
  const [head = '', tail] = hex.split('::');
  const first = groups(head);
  const last = [...groups(tail ?? ''), ...(dotted === undefined ? [] : dotted.split('.').map(Number))];
  return [...first, ...Array<number>(16 - first.length - last.length).fill(0), ...last];
}

/** The block that a text spells: an address, or an address and a number of bits; undefined for anything else. */
export function parseBlock(text: string): Block | undefined {
  const [, spelled = '', written] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(spelled);
  if (address === undefined) return undefined;
  const bits = written === undefined ? address.length * 8 : Number(written);
  return bits <= address.length * 8 ? { address, bits } : undefined;
}

/** Whether an address lies in a block. Those of the other family never do. */
export function inBlock(address: Address, block: Block): boolean {
  if (address.length !== block.address.length) return false;
  const whole = block.bits >> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== block.address[at]) return false;
  const rest = 8 - (block.bits & 7);
  return rest === 8 || (address[whole] ?? 0) >> rest === (block.address[whole] ?? 0) >> rest;
}

/** `::ffff:0:0/96`: IPv4 addresses in IPv6 clothes, which sockets take for the same (RFC 4291 section 2.5.5.2). */
const isMapped = (address: Address): boolean =>
  address.length === 16 &&
  address[10] === 0xff &&
  address[11] === 0xff &&
  address.slice(0, 10).every((byte) => byte === 0);

/** The IPv4 address itself where an address is one in IPv6 clothes. */
export const plain = (address: Address): Address => (isMapped(address) ? address.slice(12) : address);

/** The same for a block. */
export const plainBlock = ({ address, bits }: Block): Block =>
  bits >= 96 && isMapped(address) ? { address: plain(address), bits: bits - 96 } : { address, bits };
