import { isIP } from 'node:net';
import { trimEnd } from '../../core/model/text.ts';
import { type Allowed, expectedAllowed, readAllowed } from './allowed.ts';
import { isOtherService, portOf } from './ports.ts';
import { objectionTo } from './ranges.ts';

/**
 * The reason why a target is refused, which begins with "it" or "its" and contains no text of the target. Undefined if
 * it is accepted.
 */
type Objection = string | undefined;

/** Converts a host name to the form in which names are compared. */
export const normalizedName = (hostname: string): string => trimEnd(hostname.toLowerCase(), '.');

/** Addresses to which names of this machine resolve. */
const loopbackAddresses = ['127.0.0.1', '::1'];

/**
 * Decides which targets are allowed, without any I/O.
 *
 * @param allow lines of `outbound.allow`
 * @param loopback whether services on this machine may be called
 * @throws TypeError for an invalid line
 */
export class Policy {
  readonly #loopback: boolean;
  readonly #rules: Allowed[];
  readonly #hasBlocks: boolean;

  constructor(allow: readonly string[], loopback: boolean) {
    this.#loopback = loopback;
    this.#rules = allow.map((line): Allowed => {
      const rule = readAllowed(line);
      if (rule === undefined) throw new TypeError(`"${line}" is not ${expectedAllowed}`);
      return rule;
    });
    this.#hasBlocks = this.#rules.some((rule) => 'block' in rule);
  }

  #rulesForName(name: string): readonly Allowed[] {
    return this.#rules.filter((rule) =>
      'name' in rule ? rule.name === name : 'suffix' in rule && name.endsWith(rule.suffix),
    );
  }

  #rulesForAddress(address: string): readonly Allowed[] {
    return this.#rules.filter((rule) => 'block' in rule && rule.block.contains(address));
  }

  #covers(found: readonly Allowed[], port: number): boolean {
    return found.some((rule) => rule.port === undefined || rule.port === port);
  }

  #judgeAddress(address: string, port: number, isNameAllowed: boolean): Objection {
    if (isIP(address) === 0) return 'not an address';
    if (this.#covers(this.#rulesForAddress(address), port)) return undefined;
    const objection = objectionTo(address);
    const passes =
      (objection?.kind === 'loopback' && this.#loopback) || (isNameAllowed && objection?.kind !== 'machine');
    return passes ? undefined : objection?.what;
  }

  /** Checks a name before it is resolved. */
  name(name: string, port: number): Objection {
    const found = this.#rulesForName(name);
    if (this.#covers(found, port)) return undefined;
    if (found.length > 0) return 'it is allowed on other ports only';
    if (!isHostName(name)) return 'its host has invalid characters';
    if (isMetadataName(name)) return "it is the name of a cloud's metadata";
    if (isLoopbackName(name)) {
      const isAllowed =
        this.#loopback || loopbackAddresses.some((address) => this.#covers(this.#rulesForAddress(address), port));
      return isAllowed ? undefined : 'it is a name of this machine';
    }
    // If blocks of addresses are allowed, the resolved address decides.
    return isLocalName(name) && !this.#hasBlocks ? 'it is a name of a local network' : undefined;
  }

  /** Checks a URL by its text. A name must still be resolved and checked by `addresses`. */
  url(url: URL): Objection {
    const { protocol, hostname, username, password } = url;
    if (protocol !== 'http:' && protocol !== 'https:') return 'its scheme is neither http nor https';
    if (username !== '' || password !== '') return 'it contains a user name or a password';
    const port = portOf(url);
    const name = normalizedName(hostname.replace(/^\[(.*)\]$/, '$1'));
    const isAddress = isIP(name) !== 0;
    const objection = isAddress ? prefixed('it is', this.#judgeAddress(name, port, false)) : this.name(name, port);
    if (objection !== undefined) return objection;
    // Callers of a gateway that only this machine can reach can also reach the machine's other ports without it.
    const own = this.#loopback && (isAddress ? objectionTo(name)?.kind === 'loopback' : isLoopbackName(name));
    const allowed = (isAddress ? this.#rulesForAddress(name) : this.#rulesForName(name)).some(
      (rule) => rule.port === port,
    );
    return isOtherService(port) && !own && !allowed ? 'its port belongs to a service other than HTTP' : undefined;
  }

  /** Checks the addresses to which a name resolves. */
  addresses(name: string, port: number, found: readonly { readonly address: string }[]): Objection {
    const isNameAllowed = this.#covers(this.#rulesForName(name), port);
    const objections = found.map(({ address }) => this.#judgeAddress(address, port, isNameAllowed));
    return prefixed(
      'it resolves to',
      objections.find((objection) => objection !== undefined),
    );
  }
}

const prefixed = (verb: string, objection: Objection): Objection => objection && `${verb} ${objection}`;

/**
 * Whether a name consists of labels of letters, digits, hyphens and underscores, which resolvers pass on and all URL
 * parsers read alike.
 */
const isHostName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((label) => label.length <= 63 && /^[\w-]+$/.test(label));

/** Whether a name denotes this machine, regardless of what a resolver returns (RFC 6761 section 6.3). */
const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * Top-level names that are never delegated, so that they exist only in local networks (RFC 6761, 6762 with appendix G,
 * 7686 and 8375; ICANN's reservation of `internal`).
 */
const local = 'internal local localdomain home.arpa intranet private corp home lan onion invalid'.split(' ');

/** Whether a name can exist only in a local network: it has no dot, or ends in a reserved top-level name. */
const isLocalName = (name: string): boolean =>
  !name.includes('.') || local.some((end) => name === end || name.endsWith(`.${end}`));

/** Names at which clouds serve secrets to their virtual machines. */
const metadata: ReadonlySet<string> = new Set([
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'metadata.azure.internal', 'metadata.azure.com'],
  ...['metadata.tencentyun.com', 'metadata.platformequinix.com', 'instance-data', 'instance-data.ec2.internal'],
]);

/** Whether a name belongs to a cloud's metadata service. */
const isMetadataName = (name: string): boolean => metadata.has(name);
