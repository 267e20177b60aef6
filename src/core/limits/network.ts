/** Number of 16-bit groups in the first half of an IPv6 address: a provider assigns each customer a network of this size. */
const groups = 4;

/** Returns the key of a limit per network: an IPv4 address, also mapped into IPv6, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const [ip = ''] = address.split('%', 1);
  const [head = [], tail = []] = ip.split('::').map((text) => (text === '' ? [] : text.split(':')));
  const zeros = new Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, groups).map(withoutZeros).join(':')}::/64`;
}

const withoutZeros = (part: string): string => (part.replace(/^0+/, '') || '0').toLowerCase();
