import { type Address, type Block, inBlock, parseBlock } from './address.ts';

/**
 * Which addresses are nobody's business but their own network's: the special-purpose registries of IANA (RFC 6890, in
 * their state of 2025), and what clouds answer their own machines at.
 */

/** Why an address is not for requests whose target somebody else chose. */
export interface Verdict {
  /** In a few words, to follow "is". */
  readonly what: string;
  readonly kind: 'loopback' | 'network' | 'machine';
}

type Row = readonly [block: string, kind: Verdict['kind'], what: string];

/**
 * `loopback` is this machine; `network` what an operator may well have services at, which a name that is allowed may
 * lead to; `machine` what no service is at, or what answers a machine with its secrets: allowed by address only.
 */
const rows4: readonly Row[] = [
  ['127.0.0.0/8', 'loopback', 'a loopback address'],
  ['0.0.0.0/8', 'machine', 'an address of this machine'],
  ['169.254.0.0/16', 'machine', 'a link-local address, where clouds have their metadata'],
  ['100.100.100.200/32', 'machine', 'a metadata address of a cloud'],
  ['168.63.129.16/32', 'machine', 'a metadata address of a cloud'],
  ['192.0.0.192/32', 'machine', 'a metadata address of a cloud'],
  ['10.0.0.0/8', 'network', 'a private address'],
  ['172.16.0.0/12', 'network', 'a private address'],
  ['192.168.0.0/16', 'network', 'a private address'],
  ['100.64.0.0/10', 'network', "an address of a carrier's own network"],
  ['192.0.0.0/24', 'machine', 'an address that protocols have for themselves'],
  ['192.0.2.0/24', 'network', 'an address for documentation'],
  ['198.51.100.0/24', 'network', 'an address for documentation'],
  ['203.0.113.0/24', 'network', 'an address for documentation'],
  ['192.88.99.0/24', 'machine', 'an address of 6to4 relays'],
  ['198.18.0.0/15', 'network', 'an address for benchmarks'],
  ['224.0.0.0/4', 'machine', 'a multicast address'],
  ['255.255.255.255/32', 'machine', 'the broadcast address'],
  ['240.0.0.0/4', 'machine', 'a reserved address'],
];

const rows6: readonly Row[] = [
  ['::1/128', 'loopback', 'a loopback address'],
  ['::/128', 'machine', 'an address of this machine'],
  ['::/96', 'machine', 'an IPv4-compatible address'],
  ['fd00:ec2::254/128', 'machine', 'a metadata address of a cloud'],
  ['fd20:ce::254/128', 'machine', 'a metadata address of a cloud'],
  ['fe80::/10', 'machine', 'a link-local address'],
  ['fc00::/7', 'network', 'a private address'],
  ['fec0::/10', 'network', 'a site-local address'],
  ['ff00::/8', 'machine', 'a multicast address'],
  ['2001:db8::/32', 'network', 'an address for documentation'],
  ['3fff::/20', 'network', 'an address for documentation'],
  ['2001::/32', 'machine', 'a Teredo address'],
  ['2001::/23', 'machine', 'an address that protocols have for themselves'],
  ['2002::/16', 'machine', 'a 6to4 address'],
];

interface Range extends Verdict {
  readonly block: Block;
}

const block = (text: string): Block => {
  const parsed = parseBlock(text);
  if (parsed === undefined) throw new TypeError(`${text} is no block of addresses`);
  return parsed;
};
const read = (rows: readonly Row[]): readonly Range[] =>
  rows.map(([text, kind, what]) => ({ block: block(text), kind, what }));

const ranges: readonly Range[] = [...read(rows4), ...read(rows6)];

/** All that is handed out of IPv6 to be reached from everywhere. */
const global6 = block('2000::/3');
const unassigned: Verdict = { kind: 'machine', what: 'an address that nobody was given' };

/** RFC 6052: in networks without IPv4, every name that has no IPv6 address resolves to one of these. */
const nat64 = block('64:ff9b::/96');

/** What speaks against an address, IPv4 in its own form; undefined for those that are reached from everywhere. */
export function judgeAddress(address: Address): Verdict | undefined {
  const found = ranges.find((range) => inBlock(address, range.block));
  if (found !== undefined) return found;
  if (address.length === 4 || inBlock(address, global6)) return undefined;
  if (!inBlock(address, nat64)) return unassigned;
  const behind = judgeAddress(address.slice(12));
  return behind && { kind: 'machine', what: `${behind.what} behind NAT64` };
}
