import { createSocket } from 'node:dgram';
import { type LookupAddress, promises } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { afterTest } from './peer.ts';

/** Addresses of a name by the number of earlier queries for it, the same for both families. */
export type Zone = Readonly<Record<string, (queryCount: number) => readonly string[]>>;

/** A name server of the test's own, and what asks it in the place of the system's resolver. */
export interface NameServer {
  readonly lookup: LookupFunction;
  /** Returns the number of times that a name was resolved. */
  queryCount(name: string): number;
}

const typeA = 1;
const typeAaaa = 28;

/** Starts a name server on loopback, over UDP. Names that the zone does not have do not exist. */
export async function serveNames(zone: Zone): Promise<NameServer> {
  const queryCounts = new Map<string, number>();
  /** Addresses that also answer the query for the other family. */
  const current = new Map<string, readonly string[]>();
  const socket = createSocket('udp4', (query, peer) => {
    const { name, type, end } = questionOf(query);
    const all = current.get(name);
    const found = (all ?? []).filter((address) => isIPv6(address) === (type === typeAaaa));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(all === undefined ? 0x8583 : 0x8580, 2);
    head.writeUInt16BE(found.length, 6);
    head.fill(0, 8, 12);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...found.map(recordOf)]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  afterTest(() => new Promise<void>((resolve) => socket.close(resolve)));

  const resolver = new promises.Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const resolve = async (name: string): Promise<LookupAddress[]> => {
    const times = queryCounts.get(name) ?? 0;
    queryCounts.set(name, times + 1);
    const answer = zone[name]?.(times);
    if (answer) current.set(name, answer);
    const [v4, v6] = await Promise.all([
      resolver.resolve4(name).catch(() => []),
      resolver.resolve6(name).catch(() => []),
    ]);
    // In the order of the zone: what comes first there is tried first.
    const came = [...v4, ...v6];
    return (answer ?? [])
      .filter((address) => came.includes(address))
      .map((address) => ({ address, family: isIP(address) }));
  };
  return {
    queryCount: (name) => queryCounts.get(name) ?? 0,
    lookup: (hostname, options, callback) => {
      resolve(hostname.replace(/\.$/, '')).then((found) => {
        const [first] = found;
        if (first === undefined) {
          callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);
        } else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      });
    },
  };
}

function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A resource record of the name that was asked for (RFC 1035 section 4.1.3), good for no time at all. */
function recordOf(address: string): Buffer {
  const data = isIPv6(address) ? bytes6(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(isIPv6(address) ? typeAaaa : typeA, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytes6(address: string): Buffer {
  const dotted = /[\d.]+$/.exec(address)?.[0] ?? '';
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  const hex = dotted.includes('.')
    ? `${address.slice(0, -dotted.length)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    : address;
  const [head = '', tail = ''] = hex.split('::');
  const groups = (part: string): number[] =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
