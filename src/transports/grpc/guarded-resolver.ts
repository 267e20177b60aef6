import { experimental, status } from '@grpc/grpc-js';
import { type UrlGuard, UrlRefused } from '../../net/guard.ts';

/** The scheme of targets that a guard resolves. */
const scheme = 'guarded';
/** The option in which a channel passes its guard to the resolver. */
const option = 'a2a.guard';

/** Milliseconds between two look-ups: grpc-js asks again at once when a connection is reset. */
const minInterval = 1_000;

const { registerResolver, splitHostPort, statusOrFromError, statusOrFromValue } = experimental;
type ResolvedEndpoint = experimental.Endpoint;

/** Resolves names through a guard. grpc-js connects only to these addresses, and asks again when they fail. */
class GuardedResolver implements experimental.Resolver {
  readonly #host: string;
  readonly #port: number;
  readonly #listener: experimental.ResolverListener;
  readonly #guard: UrlGuard;
  /** Identifies the current look-up, so that results of earlier ones are ignored. */
  #current: symbol | undefined;
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { path }: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    options: Readonly<Record<string, unknown>>,
  ) {
    const { host, port = 443 } = splitHostPort(path) ?? { host: '' };
    this.#host = host;
    this.#port = port;
    this.#listener = listener;
    this.#guard = options[option] as UrlGuard;
  }

  updateResolution(): void {
    if (this.#current !== undefined || this.#timer !== undefined) return;
    const wait = this.#notBefore - performance.now();
    if (wait <= 0) {
      this.#resolve();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#resolve();
    }, wait).unref();
  }

  #resolve(): void {
    const current = Symbol();
    this.#current = current;
    this.#notBefore = performance.now() + minInterval;
    const [host, port] = [this.#host, this.#port];
    this.#guard.lookupAt(port)(host, { all: true }, (error, answer) => {
      if (this.#current !== current) return;
      this.#current = undefined;
      const reason = error instanceof UrlRefused ? error.message : `for target ${host}`;
      const details = `Name resolution failed: ${reason}`;
      const found = Array.isArray(answer) ? answer : [];
      const endpoints = found.map(({ address }): ResolvedEndpoint => ({ addresses: [{ host: address, port }] }));
      const result = error
        ? statusOrFromError<ResolvedEndpoint[]>({ code: status.UNAVAILABLE, details })
        : statusOrFromValue(endpoints);
      this.#listener(result, {}, null, '');
    });
  }

  destroy(): void {
    this.#current = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path;
  }
}

registerResolver(scheme, GuardedResolver);

/** Target and options of a channel that connects only to addresses that the guard allows. */
export const guardedChannel = (target: string, guard: UrlGuard) => ({
  target: `${scheme}:///${target}`,
  // A proxy from the environment would resolve the name again.
  options: { [option]: guard, 'grpc.enable_http_proxy': 0 },
});
