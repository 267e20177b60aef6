import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { CallerFacts } from '../../core/limits/admission.ts';
import type { ClientCertificate } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { targetMatchesHost } from '../listener/authority.ts';
import { certificateOf } from '../listener/client-certificate.ts';
import { announcesBody } from './body.ts';

const isEncrypted = ({ socket }: IncomingMessage): boolean => (socket as TLSSocket).encrypted === true;

/** The facts about a caller in the headers and the connection. */
export class RequestFacts implements CallerFacts {
  readonly #req: IncomingMessage;

  constructor(req: IncomingMessage) {
    this.#req = req;
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#req.headers);
  }

  get host(): string | undefined {
    return targetMatchesHost(this.#req) ? this.#req.headers.host : undefined;
  }

  get httpVersion(): string {
    return this.#req.httpVersion;
  }

  get remoteAddress(): string {
    return this.#req.socket.remoteAddress ?? '';
  }

  get hasBody(): boolean {
    return announcesBody(this.#req);
  }

  get encrypted(): boolean {
    return isEncrypted(this.#req);
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#req.socket);
  }
}

/** Scheme and authority under which a client reaches the gateway: of its Host, if that is valid in a URL. */
export function originOf(req: IncomingMessage): string {
  const { host } = req.headers;
  const usable = host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(host);
  return `${isEncrypted(req) ? 'https' : 'http'}://${usable ? host : `localhost:${req.socket.localPort}`}`;
}

/** The path at which the gateway is mounted in an app; '' on a port of its own. */
export const mountOf = (req: IncomingMessage): string => (req as { baseUrl?: string }).baseUrl ?? '';

/**
 * Scheme and authority under which clients reach an agent whose own host is the request's Host; undefined for any other
 * Host. Only the name is taken from the request: scheme and port are those of the public URL, or the port that is configured
 * with the host.
 */
export function ownOriginOf(req: IncomingMessage, agents: AgentDirectory, publicUrl?: string): string | undefined {
  const { host = '' } = req.headers;
  const named = agents.forHost(host) === undefined ? null : URL.parse(`http://${host}`);
  if (named === null) return undefined;
  const url = new URL(publicUrl ?? originOf(req));
  url.hostname = named.hostname;
  if (agents.forHost(named.hostname) === undefined) url.port = named.port;
  return url.origin;
}
