import type { Settings } from '@berth/contract/settings';
import type { SettingsRow } from './queries.ts';

export function settingsView(row: SettingsRow): Settings {
  const { audit_months, operations_months, outputs_days } = row;
  return { retention: { audit_months, operations_months, outputs_days } };
}
