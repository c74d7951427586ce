/**
 * Schemas of the records in responses. A field is defined once, by a sample: the sample gives it its type, and the
 * samples of all fields are the example of a response. A sample is not part of the published schema.
 */
import * as Type from 'typebox';

type Scalar = string | number | boolean;
type Sample = Scalar | readonly Scalar[];

type ScalarField<Given extends Scalar> = Given extends string
  ? Type.TString
  : Given extends number
    ? Type.TInteger
    : Type.TBoolean;

/** The schema of a field with this sample. */
type FieldOf<Given> = Given extends Scalar
  ? ScalarField<Given>
  : Given extends readonly (infer Item extends Scalar)[]
    ? Type.TArray<ScalarField<Item>>
    : Given extends Type.TSchema
      ? Given
      : never;

/** What a field means, or further keywords of JSON Schema. */
type About = string | Type.TSchemaOptions;

const keywords = (about: About) => (typeof about === 'string' ? { description: about } : about);

/** A text, a whole number, a boolean or a list of them. */
export function field<Given extends Sample>(sample: Given, about: About = {}): FieldOf<Given> {
  return schemaOf(sample, { ...keywords(about), sample }) as FieldOf<Given>;
}

function schemaOf(sample: Sample, options: Type.TSchemaOptions): Type.TSchema {
  if (typeof sample === 'string') return Type.String(options);
  if (typeof sample === 'number') return Type.Integer(options);
  return typeof sample === 'boolean' ? Type.Boolean(options) : Type.Array(field(sample[0] ?? ''), options);
}

/** A record. A sample stands for a field that needs no description. */
export function record<Fields extends Readonly<Record<string, Sample | Type.TSchema>>>(
  fields: Fields,
  options: Type.TSchemaOptions = {},
): Type.TObject<{ [Name in keyof Fields]: FieldOf<Fields[Name]> }> {
  const schemas = Object.entries(fields).map(([name, given]) => [name, isSample(given) ? field(given) : given]);
  return Type.Object(Object.fromEntries(schemas), options);
}

function isSample(given: Sample | Type.TSchema): given is Sample {
  return typeof given !== 'object' || Array.isArray(given);
}

/** One of several words. Its sample is the first. */
export function oneOf<const Word extends string>(words: readonly Word[], about: About = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...keywords(about) });
}

/** Adds null to a schema in the one form that OpenAPI 2.0 leaves valid. */
export function nullable<S extends Type.TSchema>(schema: S) {
  return Type.Unsafe<Type.Static<S> | null>({ ...schema, 'x-nullable': true });
}

/** A schema with another sample than it has by itself. An optional field without a sample is not in examples. */
export function sampled<S extends Type.TSchema>(schema: S, sample: Type.Static<S>): S {
  return { ...schema, sample };
}

/** The example of a record: the samples of its fields, but for the given ones. */
export function exampleOf<S extends Type.TSchema>(schema: S, others?: Partial<Type.Static<S>>): Type.Static<S> {
  if (others === undefined) return sampleOf(schema) as Type.Static<S>;
  const given = Object.entries(others).map(([name, sample]) => [name, { sample }]);
  const properties = { ...(schema as Keywords).properties, ...Object.fromEntries(given) };
  return sampleOf({ ...schema, properties }) as Type.Static<S>;
}

const blanks = new Map<string, unknown>([
  ['string', ''],
  ['number', 0],
  ['boolean', false],
]);

/** The record of something that is missing: null where the schema allows it, else an empty text, 0 or false. */
export function blankOf<S extends Type.TSchema>(schema: S): Type.Static<S> {
  const fields = Object.entries((schema as Keywords).properties ?? {});
  const blank = (one: Keywords) => ('x-nullable' in one ? null : blanks.get(typeof sampleOf(one)));
  return Object.fromEntries(fields.map(([name, one]) => [name, blank(one)])) as Type.Static<S>;
}

/** The keywords of a schema that say what its values look like. */
interface Keywords {
  readonly sample?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Keywords;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
}

/** Undefined if a field that is always present has no sample. */
function sampleOf({ sample, const: constant, enum: words, items, properties, required = [] }: Keywords): unknown {
  if (sample !== undefined) return sample;
  if (constant !== undefined) return constant;
  if (words !== undefined) return words[0];
  if (items !== undefined) {
    const item = sampleOf(items);
    return item === undefined ? undefined : [item];
  }
  if (properties === undefined) return undefined;
  const samples = Object.entries(properties).map(([name, one]) => [name, sampleOf(one)] as const);
  const example = Object.fromEntries(samples.filter(([, value]) => value !== undefined));
  return required.every((name) => name in example) ? example : undefined;
}
