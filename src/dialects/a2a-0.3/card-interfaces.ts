import type { AgentInterface } from '../../core/model/a2a.ts';
import type { AgentInterface as WireInterface } from '../../gen/a2a-0.3/types.ts';
import { majorMinor } from '../kernel/detect.ts';

/** The members of a card that name its interfaces, for which v1 has one list. */
export interface WireInterfaces {
  url: string;
  preferredTransport?: string;
  additionalInterfaces?: WireInterface[];
}

const jsonrpc = 'JSONRPC';
const grpc = 'GRPC';

/** Returns the interface members of a card in either shape, without null and empty ones. */
export function plainInterfaces({
  url = '',
  preferredTransport,
  additionalInterfaces,
}: {
  readonly url?: string;
  readonly preferredTransport?: string | null;
  readonly additionalInterfaces?: readonly Partial<WireInterface>[] | null;
}): WireInterfaces {
  const others = additionalInterfaces?.map(({ url = '', transport = '' }) => ({ url, transport })) ?? [];
  return {
    url,
    ...(preferredTransport && { preferredTransport }),
    ...(others.length > 0 && { additionalInterfaces: others }),
  };
}

/** Returns the interfaces in their order, each once. `protocolVersion` is their version in v1. */
export function decodeInterfaces(wire: WireInterfaces, protocolVersion: string): AgentInterface[] {
  const { url, preferredTransport = jsonrpc, additionalInterfaces = [] } = wire;
  const seen = new Set<string>();
  return [{ url, transport: preferredTransport }, ...additionalInterfaces].flatMap((one) => {
    const key = `${one.transport} ${one.url}`;
    if (one.url === '' || seen.has(key)) return [];
    seen.add(key);
    return [{ url: bareUrl(one.url, one.transport), protocolBinding: one.transport, protocolVersion }];
  });
}

/** Returns the URL of an interface in v1: `host:port` for gRPC, for which some cards of 0.3 have URLs. */
function bareUrl(url: string, binding: string): string {
  const [, scheme, host] = /^(https?):\/\/([^/?#]+)\/?$/i.exec(url) ?? [];
  if (binding !== grpc || host === undefined) return url;
  return /:\d+$/.test(host) ? host : `${host}:${scheme?.toLowerCase() === 'https' ? 443 : 80}`;
}

/** Returns the interfaces of a version, JSON-RPC first; if there are none, one that JSON-RPC clients can call. */
export function encodeInterfaces(interfaces: readonly AgentInterface[], protocolVersion: string): WireInterfaces {
  const own = interfaces.filter((one) => majorMinor(one.protocolVersion) === protocolVersion);
  const usable = own.length > 0 ? own : interfaces.filter((one) => one.protocolBinding === jsonrpc).slice(0, 1);
  const main = usable.find((one) => one.protocolBinding === jsonrpc) ?? usable[0] ?? interfaces[0];
  if (!main) return { url: '', preferredTransport: jsonrpc };
  const others = usable.filter((one) => one !== main);
  // No SDK can connect to a gRPC address with a scheme.
  const [first, ...rest] = [main, ...others].map(({ url, protocolBinding: transport }): WireInterface => {
    return { url: bareUrl(url, transport), transport };
  });
  const { url, transport } = first as WireInterface;
  // The list is complete, since readers look for their transport there.
  const all = rest.length > 0 ? { additionalInterfaces: [{ url, transport }, ...rest] } : {};
  return { url, preferredTransport: transport, ...all };
}
