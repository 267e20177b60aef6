import { resolveTool } from '../../scripts/tools.ts';

/** The program buf, to run with Node: a compiler of protos, and a client of gRPC. */
export const buf = resolveTool('compile', '@bufbuild/buf/bin/buf');
