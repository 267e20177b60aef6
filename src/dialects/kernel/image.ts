import { versions } from '../../gen/versions.ts';
import type { Dialects } from './lookup.ts';

/**
 * The descriptors of all services, a serialised google.protobuf.FileDescriptorSet: of A2A 1.x those of the newest version
 * that is served, since all versions have the same names. Loaded with the first request for them.
 */
export async function loadImage({ byName }: Pick<Dialects, 'byName'>): Promise<Uint8Array> {
  const newest = versions.find(({ name }) => byName.has(name)) ?? versions[0];
  const [{ image: shared }, own] = await Promise.all([import('../../gen/image.ts'), newest.image()]);
  // Two serialised messages, one behind the other, are one with the items of both lists.
  return Buffer.concat([Buffer.from(shared, 'base64'), Buffer.from(own, 'base64')]);
}
