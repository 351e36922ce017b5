import type { DataType } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { maxOrBranches } from '@callout/domain/query/parse/filter-reading';
import type { SoapEntities } from './entities/soap-entities.ts';
import type { SoapEntity } from './entities/soap-entity.ts';
import type { RestCalls } from './rest-calls.ts';
import { childrenNamed, childText, type XmlElement } from './xml/xml-element.ts';
import { parseXml } from './xml/parse-xml.ts';
import { comparisonOf, valuesIn, joined, type Condition } from './comparison.ts';

const MAX_EXPRESSIONS = 500;

/** A query in the form of the REST API: a collection, and the conditions of `Filter`. */
interface ReadQuery {
  readonly entity: SoapEntity;
  readonly filter: readonly Condition[];
}

/** The possible names of a query. */
interface Names {
  readonly entity: SoapEntity;
  /** By name and label, in lower case. */
  readonly udfTypes: ReadonlyMap<string, DataType>;
}

/**
 * Reads `<queryxml><entity>…</entity><query>…</query></queryxml>`. Names ignore case. Throws an `invalid` Problem for
 * anything else; fields and values are checked by the REST API.
 */
export async function readQueryXml(sXML: string, entities: SoapEntities, rest: RestCalls): Promise<ReadQuery> {
  const root = parseXml(sXML, 'sXML');
  const [query, ...more] = childrenNamed(root, 'query');
  if (root.name.toLowerCase() !== 'queryxml' || query === undefined || more.length > 0) {
    throw Problem.invalid('sXML must be <queryxml><entity>…</entity><query>…</query></queryxml>.');
  }
  const name = childText(root, 'entity') ?? '';
  const entity = entities.byName(name);
  if (entity === undefined) throw Problem.invalid(`${shown(name)} is no entity of this API.`);
  const fields = fieldsWithin(query);
  const expressions = fields.flatMap((field) => childrenNamed(field, 'expression'));
  if (expressions.length > MAX_EXPRESSIONS) {
    throw Problem.invalid(`The query has ${expressions.length} expressions: at most ${MAX_EXPRESSIONS} are allowed.`);
  }
  // REST would report the excess too, but only after all were converted.
  const values = expressions.reduce((sum, one) => sum + valuesIn(attribute(one, 'op'), one.text), 0);
  if (values > maxOrBranches) {
    throw Problem.invalid(`The query has ${values} values of in: at most ${maxOrBranches} are allowed.`);
  }
  const udfTypes = fields.some(isUdf) ? await udfTypesOf(entity, rest) : new Map<string, DataType>();
  const condition = conditionOf(query, { entity, udfTypes });
  return { entity, filter: condition === undefined ? [] : [condition] };
}

function fieldsWithin(element: XmlElement): XmlElement[] {
  return element.children.flatMap((child) => (isNamed(child, 'field') ? [child] : fieldsWithin(child)));
}

/** A query knows the type of a user-defined field by the metadata of the entity. */
async function udfTypesOf({ path }: SoapEntity, rest: RestCalls): Promise<Map<string, DataType>> {
  const response = await rest.call('GET', `${path}/entityInformation/userDefinedFields`);
  const { fields } = response as { fields: readonly { name: string; label: string; dataType: DataType }[] };
  return new Map(
    fields.flatMap(({ name, label, dataType }) => [name, label].map((one) => [one.toLowerCase(), dataType] as const)),
  );
}

/**
 * Combines the siblings within an element, from the first to the last: a field, or a condition without an operator,
 * must be true as well, a field with OR may be true instead of all before.
 */
function conditionOf(element: XmlElement, names: Names): Condition | undefined {
  let all: Condition | undefined;
  for (const child of element.children) {
    const isField = isNamed(child, 'field');
    if (!isField && !isNamed(child, 'condition')) {
      throw Problem.invalid(`${shown(child.name)} is not known in a query: it has fields and conditions.`);
    }
    const operator = isField ? 'and' : operatorOf(child);
    const one = isField ? fieldCondition(child, names) : conditionOf(child, names);
    if (one === undefined) continue;
    all = all === undefined ? one : joined(operator, all, one);
  }
  return all;
}

function operatorOf(condition: XmlElement): 'and' | 'or' {
  const operator = (attribute(condition, 'operator') ?? 'and').trim().toLowerCase();
  if (operator === 'and' || operator === 'or') return operator;
  throw Problem.invalid(`The operator of a condition is AND or OR, not ${shown(operator)}.`);
}

/** The expressions of a field, which must all be true. */
function fieldCondition(field: XmlElement, { entity, udfTypes }: Names): Condition {
  const fieldName = field.text.trim();
  if (fieldName === '') throw Problem.invalid('A field must have a name, such as <field>id<expression …/></field>.');
  const udf = isUdf(field);
  const knownField = udf ? undefined : entity.fieldBySoapName(fieldName);
  const compared = {
    // The REST API reports unknown names.
    field: knownField?.restName ?? fieldName,
    shownName: shown(fieldName),
    dataType: udf ? udfTypes.get(fieldName.toLowerCase()) : knownField?.dataType,
    udf,
  };
  const expressions = childrenNamed(field, 'expression');
  const [first, ...otherExpressions] = expressions.map((expression) => {
    return comparisonOf(compared, attribute(expression, 'op'), expression.text);
  });
  if (first === undefined) throw Problem.invalid(`The field ${shown(fieldName)} must have an expression.`);
  return otherExpressions.reduce((all, one) => joined('and', all, one), first);
}

function isUdf(field: XmlElement): boolean {
  const udf = (attribute(field, 'udf') ?? '').trim().toLowerCase();
  return udf === 'true' || udf === '1';
}

function isNamed({ name }: XmlElement, expected: string): boolean {
  return name.toLowerCase() === expected;
}

function attribute({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.find((one) => one.name.toLowerCase() === name)?.value;
}

const MAX_SHOWN = 100;

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
