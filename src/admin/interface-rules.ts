import type { CardFacts, Place } from './card-facts.ts';
import { at, type CardRule, isAbsent, isLoopback, isText, repeated } from './card-rule.ts';

/** The core bindings, and how cards of some frameworks write them. */
const bindings = ['JSONRPC', 'GRPC', 'HTTP+JSON'];

const urlField = (field: string): string => (field === '' ? 'url' : `${field}.url`);

/** URLs of interfaces that can be read, except addresses of gRPC that have no scheme. */
const urlsOf = ({ interfaces }: CardFacts): Place<URL>[] =>
  interfaces.flatMap(({ field, value }) => {
    const url = typeof value.url === 'string' ? URL.parse(value.url) : null;
    return url?.protocol === 'http:' || url?.protocol === 'https:' ? [{ field: urlField(field), value: url }] : [];
  });

/** The rules about the addresses of an agent. */
export const interfaceRules: readonly CardRule[] = [
  {
    id: 'interfaces',
    severity: 'error',
    sections: { v1: '8.3.1' },
    check: ({ interfaces }) =>
      interfaces.length > 0 ? [] : [at('supportedInterfaces', 'is required: list at least one interface')],
  },
  {
    id: 'interface-url',
    severity: 'error',
    sections: { v1: '4.4.6', v0: '5.6.1' },
    check: ({ interfaces }) =>
      interfaces.flatMap(({ field, value: { url, binding } }) => {
        if (!isText(url)) return [at(urlField(field), 'is required: an absolute URL')];
        // Some agents list host and port of gRPC.
        if (binding === 'GRPC' && /^[\w.-]+:\d+$/.test(url)) return [];
        return URL.canParse(url) ? [] : [at(urlField(field), 'is not an absolute URL: clients cannot call it')];
      }),
  },
  {
    id: 'interface-credentials',
    severity: 'error',
    sections: { v1: '13.4', v0: '5.4' },
    check: (facts) =>
      urlsOf(facts).flatMap(({ field, value: { username, password } }) =>
        username + password === '' ? [] : [at(field, 'holds a name or a password, which each reader of the card gets')],
      ),
  },
  {
    id: 'interface-https',
    severity: 'warning',
    sections: { v1: '7.1', v0: '4.1' },
    check: (facts) =>
      urlsOf(facts).flatMap(({ field, value }) =>
        value.protocol === 'http:' && !isLoopback(value)
          ? [at(field, 'is not encrypted: use https in production')]
          : [],
      ),
  },
  {
    id: 'interface-loopback',
    severity: 'note',
    sections: { v1: '4.4.6', v0: '5.5.5' },
    check: (facts) =>
      urlsOf(facts).flatMap(({ field, value }) =>
        isLoopback(value)
          ? [at(field, 'leads to the machine of each client: only clients on this one can call it')]
          : [],
      ),
  },
  {
    id: 'interface-binding',
    severity: 'warning',
    sections: { v1: '5.8', v0: '5.5.5' },
    check: ({ interfaces, family }) =>
      interfaces.flatMap(({ field, value: { binding } }) => {
        const key = family === 'v1' ? 'protocolBinding' : field === '' ? 'preferredTransport' : 'transport';
        const path = field === '' ? key : `${field}.${key}`;
        if (!isText(binding)) return [at(path, `is required: ${bindings.join(', ')} or the URI of another binding`)];
        if (bindings.includes(binding) || URL.canParse(binding)) return [];
        const known = bindings.find((name) => name.replace(/\W/g, '') === binding.toUpperCase().replace(/\W/g, ''));
        return [at(path, known ? `must be written ${known}` : `is none of ${bindings.join(', ')}, and no URI`)];
      }),
  },
  {
    id: 'interface-version',
    severity: 'error',
    sections: { v1: '4.4.6' },
    check: ({ interfaces }) =>
      interfaces.flatMap(({ field, value: { version } }) =>
        isText(version) && /^\d+\.\d+(?:\.\d+)?$/.test(version)
          ? []
          : [at(`${field}.protocolVersion`, 'is required: major and minor version, such as 1.0')],
      ),
  },
  {
    id: 'interface-patch-version',
    severity: 'warning',
    sections: { v1: '3.6' },
    check: ({ interfaces }) =>
      interfaces.flatMap(({ field, value: { version } }) =>
        typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version)
          ? [at(`${field}.protocolVersion`, 'has a patch version: write major and minor alone, such as 1.0')]
          : [],
      ),
  },
  {
    id: 'interface-repeated',
    severity: 'warning',
    sections: { v1: '8.3.1' },
    check: ({ interfaces }) =>
      repeated(
        interfaces,
        ({ url, binding, version, tenant }) => JSON.stringify([url, binding, version, tenant]),
        'the same interface',
      ),
  },
  {
    id: 'preferred-transport',
    severity: 'error',
    sections: { v0: '5.6.1' },
    // Versions before 0.2.4 have no such field.
    check: ({ card }) =>
      card.protocolVersion !== undefined && isAbsent(card.preferredTransport)
        ? [at('preferredTransport', 'is required: the transport at url')]
        : [],
  },
  {
    id: 'main-interface-listed',
    severity: 'warning',
    sections: { v0: '5.6.4' },
    check: ({ interfaces: [main, ...others] }) =>
      others.length === 0 ||
      others.some(({ value }) => value.url === main?.value.url && value.binding === main?.value.binding)
        ? []
        : [at('additionalInterfaces', 'should also list url with preferredTransport')],
  },
  {
    id: 'conflicting-transports',
    severity: 'note',
    sections: { v0: '5.6.4' },
    check: ({ interfaces }) => {
      const bindingsAt = new Map<unknown, Set<unknown>>();
      for (const { value } of interfaces) {
        const known = bindingsAt.get(value.url) ?? new Set();
        bindingsAt.set(value.url, known.add(value.binding));
      }
      return interfaces.flatMap(({ field, value }) =>
        field !== '' && (bindingsAt.get(value.url)?.size ?? 0) > 1
          ? [at(urlField(field), 'is also the URL of another transport: the agent must tell them apart')]
          : [],
      );
    },
  },
];
