import { compile } from '../../../gen/dialects/a2a-0.3-protobuf.ts';
import { bind, type Codecs } from '../../kernel/record.ts';
import { tables } from './mapping.ts';

/** Codecs of the shapes of A2A 0.3 in protobuf. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);
