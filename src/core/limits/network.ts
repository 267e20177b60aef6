import { trimStart } from '../model/text.ts';

/** The first half of an IPv6 address: a provider gives each customer a network of this size. */
const groups = 4;

/** The key of a limit per network: an IPv4 address, also mapped into IPv6, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const [ip = ''] = address.split('%', 1);
  const gap = ip.indexOf('::');
  const head = gap < 0 ? ip.split(':') : partsOf(ip.slice(0, gap));
  const tail = gap < 0 ? [] : partsOf(ip.slice(gap + 2));
  const zeros = Math.max(0, 8 - head.length - tail.length);
  const all = [...head, ...new Array<string>(zeros).fill('0'), ...tail];
  return `${all.slice(0, groups).map(withoutZeros).join(':')}::/64`;
}

const partsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));

const withoutZeros = (part: string): string => (trimStart(part, '0') || '0').toLowerCase();
