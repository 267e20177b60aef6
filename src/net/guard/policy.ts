import { trimEnd } from '../../core/model/text.ts';
import { inBlock, parseAddress, plain } from './address.ts';
import { type Allowed, expectedAllowed, readAllowed } from './allowed.ts';
import { isHostName, isLocalName, isLoopbackName, isMetadataName } from './names.ts';
import { isOtherService, portOf } from './ports.ts';
import { judgeAddress } from './ranges.ts';

/**
 * What speaks against a target: a sentence about it that begins with "it" or "its" and holds nothing of it, or undefined.
 */
export type Objection = string | undefined;

/** Judges targets by what is known of them, without input and output. */
export interface Policy {
  /** By its text alone: what a name resolves to remains to be judged. */
  url(url: URL): Objection;
  /** Before it is resolved. `port`: undefined where it is not known. */
  name(name: string, port: number | undefined): Objection;
  /** What a name was resolved to. */
  addresses(name: string, port: number | undefined, found: readonly { readonly address: string }[]): Objection;
}

/** A host name as it is compared. */
export const bareName = (hostname: string): string => trimEnd(hostname.toLowerCase(), '.');

/**
 * @param allow lines of `outbound.allow`
 * @param loopback whether this machine's own services may be called
 * @throws TypeError for a line that allows nothing
 */
export function createPolicy(allow: readonly string[], loopback: boolean): Policy {
  const rules = allow.map((line): Allowed => {
    const rule = readAllowed(line);
    if (rule === undefined) throw new TypeError(`"${line}" is not ${expectedAllowed}`);
    return rule;
  });
  const blocks = rules.some((rule) => 'block' in rule);
  const forName = (name: string): readonly Allowed[] =>
    rules.filter((rule) => ('name' in rule ? rule.name === name : 'suffix' in rule && name.endsWith(rule.suffix)));
  const forAddress = (text: string): readonly Allowed[] => {
    const address = plain(parseAddress(text) ?? []);
    return rules.filter((rule) => 'block' in rule && inBlock(address, rule.block));
  };
  // A rule for one port only says nothing where the port is not known.
  const covers = (found: readonly Allowed[], port: number | undefined): boolean =>
    found.some((rule) => rule.port === undefined || rule.port === port);

  const address = (text: string, port: number | undefined, named: boolean): Objection => {
    if (covers(forAddress(text), port)) return undefined;
    const parsed = parseAddress(text);
    if (parsed === undefined) return 'something that is no address';
    const verdict = judgeAddress(plain(parsed));
    const passes =
      verdict === undefined || (verdict.kind === 'loopback' && loopback) || (named && verdict.kind !== 'machine');
    return passes ? undefined : verdict.what;
  };

  const policy: Policy = {
    url(url) {
      const { protocol, hostname, username, password } = url;
      if (protocol !== 'http:' && protocol !== 'https:') return 'its scheme is neither http nor https';
      if (username !== '' || password !== '') return 'it holds a user name or a password';
      const port = portOf(url);
      const name = bareName(hostname.replace(/^\[(.*)\]$/, '$1'));
      const parsed = parseAddress(name);
      const rules = parsed ? forAddress(name) : forName(name);
      const objection = parsed ? said('it is', address(name, port, false)) : policy.name(name, port);
      if (objection !== undefined) return objection;
      // Who can reach the gateway of this machine only can reach every port of it without the gateway.
      const own = loopback && (parsed ? judgeAddress(plain(parsed))?.kind === 'loopback' : isLoopbackName(name));
      const wrong = isOtherService(port) && !own && !rules.some((rule) => rule.port === port);
      return wrong ? 'its port is that of a service which speaks no HTTP' : undefined;
    },
    name(name, port) {
      const found = forName(name);
      if (covers(found, port)) return undefined;
      if (found.length > 0) return 'it is allowed on other ports only';
      if (!isHostName(name)) return 'its host has characters that no host has';
      if (isMetadataName(name)) return "it is the name of a cloud's metadata";
      // Where blocks of addresses are allowed, what the name resolves to decides.
      if (blocks || (loopback && isLoopbackName(name))) return undefined;
      if (isLoopbackName(name)) return 'it is a name of this machine';
      return isLocalName(name) ? 'it is a name of a local network' : undefined;
    },
    addresses(name, port, found) {
      const named = covers(forName(name), port);
      const fault = found.map((one) => address(one.address, port, named)).find((what) => what !== undefined);
      return said('it resolves to', fault);
    },
  };
  return policy;
}

const said = (verb: string, what: string | undefined): Objection => what && `${verb} ${what}`;
