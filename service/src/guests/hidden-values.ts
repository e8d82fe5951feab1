import { decodeUserData } from './user-data.ts';

/** The words of errors of cloud-init, and of the YAML and JSON Schema libraries that it uses. They reveal nothing. */
const vocabulary = new Set(
  `--system a additional after alias all allowed already an anchor and annotate any apk appears apt apt-get are array at
  attempted attributeerror be because before begin blob block bool boolean but by byte can cannot carry character cloud
  cloud-config cloud-init code column command commands condition config configuration connection contain contains
  content context could data degraded deprecated did directory disabled dnf document does done dpkg duplicate during
  eatmydata either elements empty end ended enum error errors exception exceptions exclusive execute exit expected
  expecting failed failing failure failures false fetch fetching file filenotfounderror files find flow for format
  found from given global greater group groups handler handling has have here home httperror if in include indicator
  init install installing instance int integer invalid is it its json key keyerror keys lacks last length less lib line
  list load loading log long mapping mark match maximum merging message minimum missing module modules more multipart
  multiple must name no non-empty non-unique none not null number object of off on one only or order oserror out
  package packages parse parsing part path pattern permissionerror phone please post problem process
  processexecutionerror processing properties property provided python re-raising read reason recognized regex regexes
  report request required rerun return returned run running runparts runtimeerror scalar scanning schema schemas script
  scripts see seen sequence shellify short should simple some start started status stderr stdout str stream string
  syntax system tag template than that the this to token too tries true txt type typeerror unable under unexpected
  unhandled unicode unique unknown unsupported update upgrade url urlerror usage use user user-data users valid value
  valueerror values var version was were which while with would write yaml yes`.split(/\s+/),
);

/** The names of the modules of cloud-init. Earlier versions write them with hyphens. */
const modules = new Set(
  `ansible apk_configure apt_configure apt_pipelining bootcmd byobu ca_certs chef disable_ec2_metadata disk_setup fan
  final_message growpart grub_dpkg install_hotplug keyboard keys_to_console landscape locale lxd mcollective migrator
  mounts ntp package_update_upgrade_install phone_home power_state_change puppet refresh_rmc_and_interface reset_rmc
  resizefs resolv_conf rh_subscription rightscale_userdata rsyslog runcmd salt_minion scripts_per_boot
  scripts_per_instance scripts_per_once scripts_user scripts_vendor seed_random set_hostname set_passwords snap
  spacewalk ssh ssh_authkey_fingerprints ssh_import_id swap timezone ubuntu_advantage ubuntu_autoinstall ubuntu_drivers
  ubuntu_pro update_etc_hosts update_hostname users_groups wireguard write_files write_files_deferred yum_add_repo
  zypper_add_repo`.split(/\s+/),
);

/**
 * The name of a field, at the beginning of a line or of an item. Secrets that are such names, as in a map from tokens to
 * users, usually have digits or capitals.
 */
const field = /^[ \t]*(?:-[ \t]+)*["']?([a-z][a-z_-]{1,39})["']?[ \t]*:(?=\s|$)/gm;

/** A number of cloud-init with the word that says of what; otherwise all characters up to a blank or a quote. */
const chunk =
  /((?:line|column|code:) \d{1,6}|\d{1,3} (?:failures|attempted))(?=[\s,:.)'"]|$)|[^\s'"]+/g;
/** Where `cloud-init schema` found broken YAML, and the name that cloud-init gives to a script. */
const position = /^(?:format-l\d{1,6}\.c\d{1,6}:?|\(?part-\d{3}[):]?)$/;
/** What separates words in such characters, besides the dots of a path. */
const divider = /[,;:=(){}[\]<>|/]+/;
const index = /^\d{1,3}$/;
const punctuation = /^[!-/:-@[-`{-~]+$/;
const mostPunctuation = 3;

/**
 * Returns a function that replaces the values of the user data in a message of cloud-init, which must be in one line. They
 * may be secret, and cloud-init quotes what it finds invalid, also as it has converted, decoded or fetched it. So all words
 * are replaced that are neither its own nor names of fields. The time that it takes is linear, because a guest chooses
 * both texts.
 */
export function hideValuesOf(userData: string | undefined): (message: string) => string {
  const fields = fieldsOf(userData);
  const isWord = (one: string) =>
    one === '' ||
    fields.has(one) ||
    vocabulary.has(one.toLowerCase()) ||
    modules.has(one.replaceAll('-', '_'));
  // A path has indexes, such as `users.0.name`.
  const isPath = (one: string) => {
    const [first = '', ...others] = one.split('.');
    return isWord(first) && others.every((other) => isWord(other) || index.test(other));
  };
  const isShown = (one: string) =>
    punctuation.test(one)
      ? one.length <= mostPunctuation
      : position.test(one) || one.split(divider).every(isPath);
  return (message) =>
    message
      // Python shows line breaks like this in what it quotes.
      .replaceAll('\\n', ' ')
      .replaceAll(chunk, (one, count?: string) => (count || isShown(one) ? one : '…'))
      .replaceAll(/…(?: …)+/g, '…');
}

function fieldsOf(userData: string | undefined): Set<string> {
  const decoded = userData === undefined ? undefined : decodeUserData(userData);
  if (!decoded || 'error' in decoded) return new Set();
  return new Set(Array.from(decoded.content.toString().matchAll(field), ([, name = '']) => name));
}
