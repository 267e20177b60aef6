export { formatOf, type KnowledgeFormat, knowledgeFormats } from './formats.ts';
export { type Pieces, type ReadOptions, readStatements } from './read.ts';
export { everyStatement, inBatches } from './transfer.ts';
export { writeStatements } from './write.ts';
