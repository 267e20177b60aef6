import type { CardFacts, CardInterface, Place } from './facts.ts';
import {
  type CardRule,
  error,
  fields,
  isAbsent,
  isLoopback,
  isText,
  never,
  note,
  repeated,
  sameAs,
  warning,
} from './rule.ts';

/** The core bindings, as cards must write them. */
const bindings = ['JSONRPC', 'GRPC', 'HTTP+JSON'];

const pathOf = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`);

/** Returns the interfaces, at the paths of one of their fields. */
const interfacesBy =
  (name: string | ((facts: CardFacts, field: string) => string)) =>
  (facts: CardFacts): Place<CardInterface>[] =>
    facts.interfaces.map(({ field, value }) => ({
      field: pathOf(field, typeof name === 'string' ? name : name(facts, field)),
      value,
    }));

const byUrl = interfacesBy('url');
const byVersion = interfacesBy('protocolVersion');
const byBinding = interfacesBy(({ family }, field) =>
  family === 'v1' ? 'protocolBinding' : field === '' ? 'preferredTransport' : 'transport',
);

/** URLs of interfaces that can be read, except addresses of gRPC that have no scheme. */
const urlsOf = (facts: CardFacts): Place<URL>[] =>
  byUrl(facts).flatMap(({ field, value }) => {
    const url = typeof value.url === 'string' ? URL.parse(value.url) : null;
    return url?.protocol === 'http:' || url?.protocol === 'https:' ? [{ field, value: url }] : [];
  });

/** Returns the core binding that a text with other letters or punctuation means. */
const meantBy = (binding: string): string | undefined =>
  bindings.find((name) => name.replace(/\W/g, '') === binding.toUpperCase().replace(/\W/g, ''));

/** The rules about the addresses of an agent. */
export const interfaceRules: readonly CardRule[] = [
  error(
    'interfaces',
    { v1: '8.3.1' },
    ({ interfaces }) => [{ field: 'supportedInterfaces', value: interfaces }],
    (interfaces) => interfaces.length > 0,
    'is required: list at least one interface',
  ),
  error(
    'interface-url',
    { v1: '4.4.6', v0: '5.6.1' },
    byUrl,
    // Some agents list host and port of gRPC.
    ({ url, binding }) => isText(url) && (URL.canParse(url) || (binding === 'GRPC' && /^[\w.-]+:\d+$/.test(url))),
    ({ url }) => (isText(url) ? 'is not an absolute URL: clients cannot call it' : 'is required: an absolute URL'),
  ),
  error(
    'interface-credentials',
    { v1: '13.4', v0: '5.4' },
    urlsOf,
    ({ username, password }) => username + password === '',
    'holds a name or a password, which each reader of the card gets',
  ),
  warning(
    'interface-https',
    { v1: '7.1', v0: '4.1' },
    urlsOf,
    (url) => url.protocol !== 'http:' || isLoopback(url),
    'is not encrypted: use https in production',
  ),
  note(
    'interface-loopback',
    { v1: '4.4.6', v0: '5.5.5' },
    urlsOf,
    (url) => !isLoopback(url),
    'leads to the machine of each client: only clients on this one can call it',
  ),
  warning(
    'interface-binding',
    { v1: '5.8', v0: '5.5.5' },
    byBinding,
    ({ binding }) => isText(binding) && (bindings.includes(binding) || URL.canParse(binding)),
    ({ binding }) => {
      if (!isText(binding)) return `is required: ${bindings.join(', ')} or the URI of another binding`;
      const meant = meantBy(binding);
      return meant ? `must be written ${meant}` : `is none of ${bindings.join(', ')}, and no URI`;
    },
  ),
  error(
    'interface-version',
    { v1: '4.4.6' },
    byVersion,
    ({ version }) => isText(version) && /^\d+\.\d+(?:\.\d+)?$/.test(version),
    'is required: major and minor version, such as 1.0',
  ),
  warning(
    'interface-patch-version',
    { v1: '3.6' },
    byVersion,
    ({ version }) => typeof version !== 'string' || !/^\d+\.\d+\.\d+$/.test(version),
    'has a patch version: write major and minor alone, such as 1.0',
  ),
  warning(
    'interface-repeated',
    { v1: '8.3.1' },
    ({ interfaces }) =>
      repeated(interfaces, ({ url, binding, version, tenant }) => JSON.stringify([url, binding, version, tenant])),
    never,
    sameAs('the same interface'),
  ),
  error(
    'preferred-transport',
    { v0: '5.6.1' },
    fields('preferredTransport'),
    // Versions before 0.2.4 have no such field.
    (transport, { card }) => card.protocolVersion === undefined || !isAbsent(transport),
    'is required: the transport at url',
  ),
  warning(
    'main-interface-listed',
    { v0: '5.6.4' },
    ({ interfaces: [main, ...others] }) => [{ field: 'additionalInterfaces', value: { main: main?.value, others } }],
    ({ main, others }) =>
      others.length === 0 || others.some(({ value }) => value.url === main?.url && value.binding === main?.binding),
    'should also list url with preferredTransport',
  ),
  note(
    'conflicting-transports',
    { v0: '5.6.4' },
    (facts) => {
      const bindingsAt = new Map<unknown, Set<unknown>>();
      for (const { value } of facts.interfaces) {
        const known = bindingsAt.get(value.url) ?? new Set();
        bindingsAt.set(value.url, known.add(value.binding));
      }
      // The first interface is the card's own.
      return byUrl(facts)
        .slice(1)
        .filter(({ value }) => (bindingsAt.get(value.url)?.size ?? 0) > 1);
    },
    never,
    'is also the URL of another transport: the agent must tell them apart',
  ),
];
