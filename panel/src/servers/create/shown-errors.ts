import { fieldErrors } from '../../api/field-errors.ts';
import { commandErrors } from './first-start/commands.ts';
import { labelError } from './first-start/labels.ts';
import { type Field, fields as fieldNames, missingChoices, type Values } from './form.ts';

/** What is wrong with what was sent, at its fields. An error disappears when its field is changed. */
export function shownErrors(error: unknown, values: Values, sent: Values | undefined) {
  const { fields, rest } = fieldErrors(error, fieldNames);
  const ofLabel = labelError(error);
  const found = { ...fields, ...(ofLabel && { labels: ofLabel }) };
  const errors: Partial<Record<Field, string>> = sent ? missingChoices(values) : {};
  for (const name of fieldNames) {
    const detail = found[name];
    if (detail !== undefined && values[name] === sent?.[name]) errors[name] ??= detail;
  }
  const ofCommands = commandErrors(error, sent?.initialCommands ?? []);
  for (const { key, text } of sent?.initialCommands ?? []) {
    const now = values.initialCommands.find((one) => one.key === key);
    if (now?.text !== text) ofCommands.delete(key);
  }
  return { errors, ofCommands, rest };
}
