/** Labels of letters, digits, hyphens and underscores, which resolvers pass on and all parsers of URLs read alike. */
export const isHostName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((label) => label.length <= 63 && /^[\w-]+$/.test(label));

/** Names of this machine, whatever a resolver answers (RFC 6761 section 6.3). */
export const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * Top-level names that are never delegated, so that only a local network can know them (RFC 6761, 6762 with appendix G,
 * 7686 and 8375; ICANN's reservation of `internal`).
 */
const local = 'internal local localdomain home.arpa intranet private corp home lan onion invalid'.split(' ');

/** Whether a name can only be known in a local network: it has no dot, or ends in a reserved top-level name. */
export const isLocalName = (name: string): boolean =>
  !name.includes('.') || local.some((end) => name === end || name.endsWith(`.${end}`));

/** Names at which clouds serve secrets to their machines. */
const metadata: ReadonlySet<string> = new Set([
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'metadata.azure.internal', 'metadata.azure.com'],
  ...['metadata.tencentyun.com', 'metadata.platformequinix.com', 'instance-data', 'instance-data.ec2.internal'],
]);

/** Whether a name is that of a cloud's metadata service. */
export const isMetadataName = (name: string): boolean => metadata.has(name);
