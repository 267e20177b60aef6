import type { IncomingMessage } from 'node:http';
import type { CallerFacts } from '../../core/limits/admission.ts';
import type { Reservation } from '../../core/limits/memory-budget.ts';
import type { BindingKind } from '../../core/model/call.ts';
import type { ClientCertificate } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { targetMatchesHost } from '../listener/authority.ts';
import { certificateOf, isEncrypted } from '../listener/client-certificate.ts';
import { announcesBody } from './body.ts';
import type { RequestTarget } from './request-target.ts';

/** Facts in the URL of a request for an agent. */
type FactsTarget = Partial<Pick<RequestTarget, 'agent' | 'base'>> & Pick<RequestTarget, 'path'>;

/** Finds the binding of a request by its path below the agent. */
type FindBinding = (path: string, contentType: string) => RequestBinding | undefined;

/** The binding of a request. */
export interface RequestBinding {
  readonly name: BindingKind;
  /** Whether a request at the root is for the default agent. Absent: it may name another one in its headers or its body. */
  readonly ofDefaultAgent?: true;
}

/** The facts about a caller in the headers and the connection. */
export class RequestFacts implements CallerFacts {
  /** Memory for the request and its answer, once they are counted. */
  reservation: Reservation | undefined = undefined;
  readonly #req: IncomingMessage;
  readonly #target: FactsTarget | undefined;
  readonly #bindingOf: FindBinding | undefined;

  /** @param target facts about a request for an agent, with the bindings to which it may belong */
  constructor(req: IncomingMessage, target?: FactsTarget, bindingOf?: FindBinding) {
    this.#req = req;
    this.#target = target;
    this.#bindingOf = bindingOf;
  }

  get #binding(): RequestBinding | undefined {
    return this.#target && this.#bindingOf?.(this.#target.path, this.#req.headers['content-type'] ?? '');
  }

  get path(): string {
    const { url = '/', originalUrl = url } = this.#req as IncomingMessage & { readonly originalUrl?: string };
    return originalUrl.split('?', 1)[0] ?? '/';
  }

  get binding(): BindingKind | undefined {
    return this.#binding?.name;
  }

  /** Name of the agent. Undefined at the root for services that name their agent in another way. */
  get agent(): string | undefined {
    const { agent, base } = this.#target ?? {};
    return base === '' && !this.#binding?.ofDefaultAgent ? undefined : agent || undefined;
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name];
    if (Array.isArray(value)) return value.join(', ');
    // Plain objects inherit members such as `constructor`.
    return typeof value === 'string' ? value : undefined;
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
    return isEncrypted(this.#req.socket);
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#req.socket);
  }
}

/** Scheme and authority under which a client reaches the gateway, from its Host header if that is valid in a URL. */
export function originOf(req: IncomingMessage): string {
  const { host } = req.headers;
  const usable = host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(host);
  return `${isEncrypted(req.socket) ? 'https' : 'http'}://${usable ? host : `localhost:${req.socket.localPort}`}`;
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
