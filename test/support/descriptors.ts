import { createDialects, loadImage } from '../../src/dialects/kernel/registry.ts';

/** The descriptors of all services, with the newest version of A2A 1.x: a FileDescriptorSet in base64. */
export const image: string = Buffer.from(await loadImage(createDialects())).toString('base64');
