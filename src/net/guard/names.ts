/** Labels of letters, digits, hyphens and underscores: what resolvers pass on, and no reader of URLs cuts elsewhere. */
export const isHostName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((label) => label.length <= 63 && /^[\w-]+$/.test(label));

/** Names that mean this machine, whatever a resolver says (RFC 6761 section 6.3). */
export const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * Top-level names that are never delegated, so that only a local network can know them (RFC 6761, 6762, 7686, 8375, the
 * reservation of `internal` by ICANN, and RFC 6762 appendix G).
 */
const local: readonly string[] = [
  'internal',
  'local',
  'localdomain',
  'home.arpa',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'onion',
  'invalid',
];

/** Whether a name is one of a local network: it has no dot, or ends in a name that the world does not know. */
export const isLocalName = (name: string): boolean =>
  !name.includes('.') || local.some((end) => name === end || name.endsWith(`.${end}`));

/** Names at which clouds answer their own machines with secrets. */
const metadata: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Whether a name is one of those. */
export const isMetadataName = (name: string): boolean => metadata.has(name);
