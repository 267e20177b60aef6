import { compile } from '../../gen/dialects/a2a-php-0.3.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { tables } from './mapping.ts';

/** Codecs of the shapes of the PHP SDK. */
export const codecs: Codecs<typeof tables> = bind(tables, compile);
