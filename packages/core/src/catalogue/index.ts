export { ownCatalogueDir } from './catalogue-dir.ts';
export {
  buildCatalogue,
  type Catalogue,
  type DataType,
  dataTypes,
  type EntityDefinition,
  type FieldDefinition,
  type PicklistValue,
  type RecordParent,
} from './catalogue.ts';
export { pascalCase, soapNameOf } from './soap-name.ts';
export { spacedWords } from './spaced-words.ts';
