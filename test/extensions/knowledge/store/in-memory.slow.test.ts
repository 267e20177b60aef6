import { inMemory } from '../../../contract/store-kinds.ts';
import { knowledgeSuite } from './suite.ts';

knowledgeSuite(inMemory);
