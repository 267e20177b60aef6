import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * An address block. IPv4 addresses mapped into IPv6 (RFC 4291 section 2.5.5.2) count as IPv4, as they do for sockets.
 */
export interface Block {
  contains(address: string): boolean;
}

/** Parses an address, or a block in CIDR notation. Undefined for any other text. */
export function parseBlock(text: string): Block | undefined {
  const [, address = '', written] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const length = family === 4 ? 32 : 128;
  const bits = written === undefined ? length : Number(written);
  if (family === 0 || bits > length) return undefined;
  const list = new BlockList();
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  return { contains: (other) => list.check(other.replace(/%.*$/s, ''), isIPv6(other) ? 'ipv6' : 'ipv4') };
}

/** The reason why requests may not be sent to an address unless the operator allows it. */
export interface AddressObjection {
  /** Description of the address, which follows "is" in messages. */
  readonly what: string;
  readonly kind: 'loopback' | 'network' | 'machine';
}

type AddressRow = readonly [block: string, kind: AddressObjection['kind'], what: string];

/**
 * Addresses that are not globally reachable, from the special-purpose registries of IANA (RFC 6890, as of 2025), and
 * the addresses at which clouds serve metadata to their virtual machines.
 *
 * `loopback` is this machine. `network` may be a service of the operator, so an allowed name may resolve to it.
 * `machine` is either not a service, or serves a machine's secrets, so it must be allowed by address.
 */
const rows4: readonly AddressRow[] = [
  ['127.0.0.0/8', 'loopback', 'a loopback address'],
  ['0.0.0.0/8', 'machine', 'an address of this machine'],
  ['169.254.0.0/16', 'machine', 'a link-local address, where clouds serve metadata'],
  ['100.100.100.200/32', 'machine', 'a metadata address of a cloud'],
  ['168.63.129.16/32', 'machine', 'a metadata address of a cloud'],
  ['192.0.0.192/32', 'machine', 'a metadata address of a cloud'],
  ['10.0.0.0/8', 'network', 'a private address'],
  ['172.16.0.0/12', 'network', 'a private address'],
  ['192.168.0.0/16', 'network', 'a private address'],
  ['100.64.0.0/10', 'network', 'a shared address of carrier-grade NAT'],
  ['192.0.0.0/24', 'machine', 'an address reserved for protocols'],
  ['192.0.2.0/24', 'network', 'an address for documentation'],
  ['198.51.100.0/24', 'network', 'an address for documentation'],
  ['203.0.113.0/24', 'network', 'an address for documentation'],
  ['192.88.99.0/24', 'machine', 'an address of 6to4 relays'],
  ['198.18.0.0/15', 'network', 'an address for benchmarks'],
  ['224.0.0.0/4', 'machine', 'a multicast address'],
  ['255.255.255.255/32', 'machine', 'the broadcast address'],
  ['240.0.0.0/4', 'machine', 'a reserved address'],
];

const rows6: readonly AddressRow[] = [
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
  ['2001::/23', 'machine', 'an address reserved for protocols'],
  ['2002::/16', 'machine', 'a 6to4 address'],
];

/**
 * Prefix of NAT64 (RFC 6052): in networks without IPv4, names without an IPv6 address resolve to their IPv4 addresses
 * behind it.
 */
const nat64 = '64:ff9b::';

const behindNat64 = ([text, , what]: AddressRow): AddressRow => {
  const [address, bits] = text.split('/');
  return [`${nat64}${address}/${96 + Number(bits)}`, 'machine', `${what} behind NAT64`];
};

const blockOf = (text: string): Block => parseBlock(text) as Block;

/** Created for the first address that is checked, because many gateways never check one. */
let blocks: ReturnType<typeof createBlocks> | undefined;

const createBlocks = () => ({
  ranges: [...rows4, ...rows6, ...rows4.map(behindNat64)].map(([text, kind, what]) => ({
    block: blockOf(text),
    kind,
    what,
  })),
  /** Blocks that are globally reachable outside of the ranges: IPv4, and the assigned part of IPv6. */
  assigned: ['0.0.0.0/0', '2000::/3', `${nat64}/96`].map(blockOf),
});

/** Returns the objection to an address. Undefined for globally reachable addresses. */
export function objectionTo(address: string): AddressObjection | undefined {
  blocks ??= createBlocks();
  const { ranges, assigned } = blocks;
  const found = ranges.find(({ block }) => block.contains(address));
  if (found || assigned.some((block) => block.contains(address))) return found;
  return { kind: 'machine', what: 'an unassigned address' };
}
