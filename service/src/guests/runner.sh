#!/bin/sh
# Sets up a new guest: the SSH server, the keys and the password of root, then the initial commands, each once, in
# order. If there is user data, the commands wait until cloud-init has carried it out. cloud-init or a unit of the image
# runs this at the end of every boot, once the network is up, until it has removed itself, so a command can restart the
# guest. Plain POSIX sh: dash, bash and busybox run it. BERTH_ROOT and BERTH_PATH are for its tests.

root=${BERTH_ROOT:-}
state=$root/var/lib/berth
work=$state/work
kept=4096
cloud=$root/var/lib/cloud/instance
path=${BERTH_PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
sshd=ok
stopping=
# The process of cloud-init, if it runs this in a guest with user data, which has no systemd.
cloud_init=
if [ "${1:-}" = by-cloud-init ]; then cloud_init=$PPID; fi

main() {
  umask 077
  export PATH="$path" LC_ALL=C
  trap 'stopping=1' TERM
  mkdir -p "$work" "$root/root" || give_up
  if [ -f "$state/handover" ]; then take_over; fi
  total=$(cat "$work/total") || give_up
  sshd=$(cat "$work/sshd")
  if [ -n "$cloud_init" ]; then
    # cloud-init continues when this process ends.
    { trap 'stopping=1' TERM && complete; } </dev/null >/dev/null 2>&1 &
  else
    complete
  fi
}

complete() {
  if [ -f "$work/user-data.awaited" ]; then await_user_data; fi
  run_commands
  if guest_stops; then exit 0; fi
  finish
}

# On a full disk, removing our files frees the space for this report.
give_up() {
  total=0
  rm -rf "$work"
  report failed 0
  exit 1
}

# No command runs before the handover is deleted, so this can safely be repeated after a crash.
take_over() {
  report preparing 0
  total=0
  . "$state/handover"
  put_keys || give_up
  close_host_keys
  if ! set_up_sshd; then
    if lets_passwords_in; then give_up; fi
    sshd=missing
  fi
  # Comes after SSH, which may have to refuse it. Setting a hash also unlocks root. It is passed by a pipe, because
  # everyone can read arguments.
  printf 'root:%s\n' "$password_hash" | chpasswd -e || give_up
  unset password_hash
  printf '%s\n' "$total" >"$work/total"
  printf '%s\n' "$sshd" >"$work/sshd"
  if [ -n "$has_user_data" ]; then : >"$work/user-data.awaited"; fi
  if [ "$total" -gt 0 ] || [ -n "$has_user_data" ]; then keep_room; fi
  rm -f "$state/handover"
}

# Reserves space for our own files, in case a command fills the disk: see save. fallocate is quicker, but not every file
# system supports it.
keep_room() {
  fallocate -l 8388608 "$work/reserve" 2>/dev/null ||
    dd if=/dev/zero of="$work/reserve" bs=65536 count=128 2>/dev/null
}

# Writes the output of a command to a file, completely or not at all. If the disk is full, it frees the reserve; a file
# system may need a sync and some time before that space can be used.
save() {
  file=$1
  shift
  for pause in 0 1 3; do
    if "$@" >"$file.new" 2>/dev/null && mv "$file.new" "$file"; then return 0; fi
    rm -f "$file.new" "$work/reserve" "$work/part"
    sync
    sleep "$pause"
  done
  return 1
}

# The handover calls this for each command.
add_command() {
  total=$((total + 1))
  printf '%s' "$1" >"$work/command.$total"
}

# The handover calls this for each file that others may read, such as /etc/hosts.
add_file() { (umask 022 && printf '%s' "$2" >"$root$1"); }

# Incus sets the mode of a pushed file last. If that was interrupted, everybody can read the file, and sshd does not
# accept such a key.
close_host_keys() {
  open_keys=$(find "$root/etc/ssh" -name 'ssh_host_*_key' -perm /007 2>/dev/null)
  if [ -z "$open_keys" ]; then return; fi
  printf '%s\n' "$open_keys" | while read -r key; do chmod 600 "$key"; done
  systemctl restart ssh.service
}

# Replaces the keys of the image. sshd does not accept keys that others could write.
put_keys() {
  if [ -z "$authorized_keys" ]; then return; fi
  folder=$root/root/.ssh
  mkdir -p "$folder" && chmod 700 "$folder" && printf '%s' "$authorized_keys" >"$folder/authorized_keys" &&
    chmod 600 "$folder/authorized_keys"
}

set_up_sshd() {
  settings=$root/etc/ssh/sshd_config.d/00-berth.conf
  unread=
  if [ "$(cat "$settings" 2>/dev/null)" != "$sshd_settings" ]; then
    (umask 022 && mkdir -p "${settings%/*}" && printf '%s\n' "$sshd_settings" >"$settings") || return 1
    unread=1
  fi
  if ! has sshd; then
    install_sshd || return 1
    unread=
  fi
  if ! main_settings_suffice; then
    put_into_main_settings || return 1
    unread=1
  fi
  if [ -n "$unread" ]; then reload_sshd; fi
}

# Whether there may be an SSH server that accepts the password of root, although it has to refuse passwords.
lets_passwords_in() {
  case $sshd_settings in *'PasswordAuthentication no'*) ;; *) return 1 ;; esac
  [ "$password_hash" != '*' ] && has sshd
}

# Whether sshd reads the other file, or has the settings in its main one, or has none, as where the distribution keeps it
# elsewhere.
main_settings_suffice() {
  main_settings=$root/etc/ssh/sshd_config
  if [ ! -f "$main_settings" ]; then return 0; fi
  if grep -qi '^[[:space:]]*Include[[:space:]].*sshd_config\.d' "$main_settings"; then return 0; fi
  case $(cat "$main_settings") in "$sshd_settings"*) ;; *) return 1 ;; esac
}

# In the configuration of sshd the first value counts. Before OpenSSH 8.2, it can't include files.
put_into_main_settings() {
  { printf '%s\n' "$sshd_settings"; cat "$main_settings"; } >"$work/sshd_config" &&
    cat "$work/sshd_config" >"$main_settings"
}

reload_sshd() {
  if has systemctl; then
    systemctl try-reload-or-restart ssh.service 2>/dev/null ||
      systemctl try-reload-or-restart sshd.service
  elif has rc-service; then
    rc-service --ifstarted sshd restart
  fi
}

install_sshd() {
  for pause in 2 5 0; do
    if install_sshd_once; then return 0; fi
    sleep "$pause"
  done
  return 1
}

install_sshd_once() {
  if has apt-get; then
    apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install openssh-server
  elif has dnf; then
    dnf -q -y install openssh-server && systemctl enable --now sshd.service
  elif has apk; then
    apk add -q openssh-server && rc-update -q add sshd && rc-service sshd start
  else
    return 1
  fi </dev/null
}

has() { command -v "$1" >/dev/null; }

# Waits until cloud-init has ended, also after the guest was restarted meanwhile, and keeps what it says.
await_user_data() {
  report running 0
  until cloud_init_ended; do
    if guest_stops; then exit 0; fi
    sleep 1
  done
  # A cloud-init that ended because the guest stops continues after that.
  if guest_stops; then exit 0; fi
  if [ ! -f "$work/user-data" ]; then save "$work/user-data" user_data_result; fi
  await_restart
  rm -f "$work/user-data.awaited"
}

# If the user data stops or restarts the guest at its end, this begins a moment later. So it looks twice.
await_restart() {
  for look in 1 2; do
    while is_about_to_stop; do
      if guest_stops; then exit 0; fi
      sleep 1
    done
    if guest_stops; then exit 0; fi
    if [ "$look" = 1 ]; then sleep 1; fi
  done
}

# Its last unit is queued during the boot, unless cloud-init does not run at all.
cloud_init_ended() {
  if [ -n "$cloud_init" ]; then
    ! kill -0 "$cloud_init" 2>/dev/null
    return
  fi
  case $(systemctl is-active cloud-final.service) in
    active | failed) return 0 ;;
    inactive | unknown) ! systemctl list-jobs --no-legend | grep -q cloud-final.service ;;
    *) return 1 ;;
  esac
}

# For power_state, cloud-init leaves a process behind, which becomes one that stops the guest, as scripts also start it.
# OpenRC says only by a process that it stops the guest.
is_about_to_stop() {
  for process in $(grep -lsE 'cloud-init|shutdown|poweroff|reboot|halt' "$root"/proc/[0-9]*/cmdline); do
    line=$(tr '\0' ' ' 2>/dev/null <"$process")
    case $line in */cloud-init\ modules\ *final* | */cloud-init\ --all-stages*) return 0 ;; esac
    program=${line%% *}
    case "${program##*/} ${line#* }" in
      shutdown\ * | poweroff\ * | reboot\ * | halt\ * | openrc\ shutdown\ *) return 0 ;;
    esac
  done
  return 1
}

# Each part has a line with its name and its length.
user_data_result() {
  part status "$(user_data_status)" && part schema "$(schema_errors)" && part log "$(cloud_init_log)"
}

part() { printf 'user-data-%s %s\n%s' "$1" "$(($(printf '%s' "$2" | wc -c)))" "$2"; }

# Early versions have no JSON. Only the whole of it can be read.
user_data_status() {
  status=$(cloud-init status --format=json 2>/dev/null)
  if [ "${#status}" -gt 32768 ]; then status=$(cloud-init status 2>/dev/null); fi
  if [ -z "$status" ]; then status=$(cloud-init status --long 2>&1); fi
  printf '%s' "$status" | head -c 32768
}

# Of the user data if it is a cloud-config. Of other formats, cloud-init has put all parts that are one into a file.
schema_errors() {
  checked=$cloud/user-data.txt
  first=
  read -r first <"$checked"
  if [ "${first%%[[:space:]]*}" != '#cloud-config' ]; then checked=$cloud/cloud-config.txt; fi
  if [ ! -s "$checked" ]; then return; fi
  errors=$(cloud-init schema --config-file "$checked" 2>&1) || printf '%s' "$errors" | head -c 8192
}

cloud_init_log() {
  grep -Ehs '\[(WARNING|ERROR|CRITICAL)\]: ' "$root/var/log/cloud-init.log" | tail -n 20 | cut -c 1-400
}

run_commands() {
  number=0
  while [ "$number" -lt "$total" ]; do
    number=$((number + 1))
    if [ -f "$work/result.$number" ]; then continue; fi
    if [ -f "$work/started.$number" ]; then
      interrupted "$number"
      continue
    fi
    if guest_stops; then exit 0; fi
    report running "$number"
    run
  done
}

# "reboot" returns at once; the next command must not start while the guest shuts down.
guest_stops() {
  [ -n "$stopping" ] && return 0
  [ "$(systemctl is-system-running 2>/dev/null)" = stopping ]
}

run() {
  rm -f "$work/part" "$work/end" "$work/pipe"
  if ! mkfifo "$work/pipe"; then
    rm -f "$work/reserve"
    sync
    mkfifo "$work/pipe"
  fi
  collect <"$work/pipe" &
  collector=$!
  began=$(uptime_ms)
  start >"$work/pipe" 2>&1 </dev/null
  status=$?
  ended=$(uptime_ms)
  took=
  if [ -n "$began" ] && [ -n "$ended" ]; then took=$((ended - began)); fi
  # A background process of a command may hold the pipe open forever.
  { until_read && kill "$collector"; } >/dev/null 2>&1 &
  watchdog=$!
  wait "$collector"
  # The signal that the guest stops interrupts "wait", and not the collector.
  if [ -n "$stopping" ]; then wait "$collector"; fi
  kill "$watchdog" 2>/dev/null
  record "$number" "$status" "$took"
}

# Reads a monotonic clock with hundredths of a second. The 1 avoids that "08" is read as octal.
uptime_ms() {
  read -r up rest </proc/uptime || return 1
  echo "$((${up%.*} * 1000 + (1${up#*.} - 100) * 10))"
}

# The output of a command may still be in the pipe when it ends. On a busy node, the reader may take
# a while to start and to finish.
until_read() {
  size=$(part_size)
  for round in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    last=$size
    size=$(part_size)
    if [ -n "$size" ] && [ "$size" = "$last" ]; then break; fi
  done
}

part_size() { if [ -f "$work/part" ]; then wc -c <"$work/part"; fi; }

# The started mark is written first: a command that a crash interrupted is never run again.
start() (
  trap - TERM
  . "$work/command.$number"
  : >"$work/started.$number"
  # Both ends of the pipe are open by now. It is removed, since a command that reads every file
  # would block on it.
  rm -f "$work/command.$number" "$work/pipe"
  cd "$root/root" || exit 1
  # The other umask is for our own files; commands run with the usual one of root.
  umask 022
  exec env -i PATH="$path" HOME="$root/root" USER=root LOGNAME=root SHELL=/bin/sh LANG=C.UTF-8 \
    /bin/sh -c 'exec "$@"' sh "$@"
)

# Keeps the end of its input, in limited space. If it is stopped before the pipe ends, it leaves a
# reader behind, so that a daemon does not die of SIGPIPE.
collect() {
  exec 3<&0
  ending=
  reader=
  trap 'ending=1; kill $reader' TERM
  while :; do
    dd bs=65536 count=256 of="$work/part" <&3 2>/dev/null &
    reader=$!
    if [ -n "$ending" ]; then kill "$reader"; fi
    wait "$reader"
    # The signal interrupted the first wait.
    if [ -n "$ending" ]; then wait "$reader"; fi
    if [ -s "$work/part" ]; then keep_part; elif [ -z "$ending" ]; then return; fi
    if [ -n "$ending" ]; then
      cat <&3 >/dev/null 2>&1 &
      return
    fi
  done
}

keep_part() {
  output_end >"$work/end.new"
  rm -f "$work/part"
  mv "$work/end.new" "$work/end"
}

output_end() { cat "$work/end" "$work/part" 2>/dev/null | tail -c "$kept"; }

interrupted() {
  {
    output_end
    printf '\nInterrupted: the server stopped or restarted while this command ran.\n'
  } >"$work/part.new"
  rm -f "$work/end"
  mv "$work/part.new" "$work/part"
  record "$1" 143
}

# A result has the exit status, the length of the output, the duration in milliseconds if known, and the output.
record() {
  save "$work/output" output_end || : >"$work/output"
  save "$work/result.$1" result "$2" "${3:-}" || give_up
  rm -f "$work/started.$1" "$work/part" "$work/end" "$work/output"
}

result() {
  printf '%s %s%s\n' "$1" "$(($(wc -c <"$work/output")))" "${2:+ $2}" && cat "$work/output"
}

# Writes the only file that is read from outside: the progress, and the results so far. The number is that of the command
# that is running, or 0 while cloud-init carries out the user data.
report() { save "$state/progress" progress "$@"; }

progress() {
  printf '%s %s %s\n' "$1" "$2" "$sshd" || return 1
  reported=0
  while [ "$reported" -lt "${total:-0}" ]; do
    reported=$((reported + 1))
    if [ -f "$work/result.$reported" ]; then cat "$work/result.$reported" || return 1; fi
  done
  if [ -f "$work/user-data" ]; then cat "$work/user-data" || return 1; fi
}

finish() {
  report done "$total" || give_up
  rm -rf "$work" "$0" "$root/var/lib/cloud/scripts/per-boot/00-berth"
  remove_unit
}

# The unit stays in the images that have it. Others get it with the file that has systemd start it.
remove_unit() {
  units=$root/etc/systemd/system
  starts=$units/multi-user.target.d/berth.conf
  if [ ! -f "$starts" ]; then return; fi
  rm -f "$starts" "$units/berth-first-start.service"
  rmdir "${starts%/*}" 2>/dev/null || :
}

main
exit
