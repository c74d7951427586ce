/**
 * Schemas of the records in responses. A field is defined by a sample, which determines its type. The samples of all fields
 * form the example of a response. Samples are not part of the published schema.
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

/** The description of a field, or further keywords of JSON Schema. */
type About = string | Type.TSchemaOptions;

const keywords = (about: About) => (typeof about === 'string' ? { description: about } : about);

/** The schema of a text, a whole number, a boolean or a list of them. */
export function field<Given extends Sample>(sample: Given, about: About = {}): FieldOf<Given> {
  return schemaOf(sample, { ...keywords(about), sample }) as FieldOf<Given>;
}

function schemaOf(sample: Sample, options: Type.TSchemaOptions): Type.TSchema {
  if (typeof sample === 'string') return Type.String(options);
  if (typeof sample === 'number') return Type.Integer(options);
  return typeof sample === 'boolean' ? Type.Boolean(options) : Type.Array(field(sample[0] ?? ''), options);
}

/** The schema of a record. A field that needs no description can be given as a sample. */
export function recordSchema<Fields extends Readonly<Record<string, Sample | Type.TSchema>>>(
  fields: Fields,
  options: Type.TSchemaOptions = {},
): Type.TObject<{ [Name in keyof Fields]: FieldOf<Fields[Name]> }> {
  const schemas = Object.entries(fields).map(([name, given]) => [name, isSample(given) ? field(given) : given]);
  return Type.Object(Object.fromEntries(schemas), options);
}

function isSample(given: Sample | Type.TSchema): given is Sample {
  return typeof given !== 'object' || Array.isArray(given);
}

/** The schema of one of several words. Its sample is the first. */
export function oneOf<const Word extends string>(words: readonly Word[], about: About = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...keywords(about) });
}

/** Allows null, in the only form that is valid in OpenAPI 2.0. */
export function nullable<S extends Type.TSchema>(schema: S) {
  return Type.Unsafe<Type.Static<S> | null>({ ...schema, 'x-nullable': true });
}

/** Replaces the sample of a schema. An optional field without a sample is left out of examples. */
export function sampled<S extends Type.TSchema>(schema: S, sample: Type.Static<S>): S {
  return { ...schema, sample };
}

/** The example of a record: the samples of its fields, with those of `others` replaced. */
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

/** A record without content: null where the schema allows it, otherwise an empty text, 0 or false. */
export function blankOf<S extends Type.TSchema>(schema: S): Type.Static<S> {
  const fields = Object.entries((schema as Keywords).properties ?? {});
  const blank = (one: Keywords) => ('x-nullable' in one ? null : blanks.get(typeof sampleOf(one)));
  return Object.fromEntries(fields.map(([name, one]) => [name, blank(one)])) as Type.Static<S>;
}

/** The keywords of a schema from which a sample is derived. */
interface Keywords {
  readonly sample?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Keywords;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
}

/** The sample of a schema; undefined if it, or a required field of it, has none. */
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
