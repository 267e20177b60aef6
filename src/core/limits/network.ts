import { trimStart } from '../model/text.ts';

/** The first half of an IPv6 address: the network that one customer of a provider has to itself. */
const groups = 4;

/**
 * What a limit per address counts under: an IPv4 address as it is, also where it is mapped into IPv6, and the /64 of an
 * IPv6 address, since whoever has one such address has 2^64 of them. Anything else as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const [bare = ''] = address.split('%', 1);
  const gap = bare.indexOf('::');
  const head = gap < 0 ? bare.split(':') : partsOf(bare.slice(0, gap));
  const tail = gap < 0 ? [] : partsOf(bare.slice(gap + 2));
  const zeros = Math.max(0, 8 - head.length - tail.length);
  const all = [...head, ...new Array<string>(zeros).fill('0'), ...tail];
  return `${all.slice(0, groups).map(withoutZeros).join(':')}::/64`;
}

const partsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));

const withoutZeros = (part: string): string => (trimStart(part, '0') || '0').toLowerCase();
