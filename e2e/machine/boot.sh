#!/bin/bash
# Boots systemd in its own namespaces, on a copy of this machine's file system: boot.sh DIRECTORY NAME REPOSITORY IMAGES
# DIRECTORY keeps its disk between boots. /opt/berth/1 and /opt/berth/2 in it are REPOSITORY. The machine ends with this
# process, as if its power was cut. It has no network but its own.
set -euo pipefail
directory=$1 name=$2 repository=$3 images=$4

# A cgroup of its own in each hierarchy: one of version 2, or those of version 1 beside it.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then hierarchies=(/sys/fs/cgroup); else hierarchies=(/sys/fs/cgroup/*/); fi
for hierarchy in "${hierarchies[@]}"; do
  own=${hierarchy%/}/$name
  mkdir -p "$own"
  if [ -e "$own/cpuset.mems" ] && [ -e "$own/cgroup.clone_children" ]; then
    for file in cpuset.cpus cpuset.mems; do cat "$hierarchy/$file" >"$own/$file"; done
    echo 1 >"$own/cgroup.clone_children"
  fi
  echo $$ >"$own/cgroup.procs"
done

mkdir -p "$directory"/{upper,work,root,incus}
chmod 711 "$directory/incus"
export directory name repository images
exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child "$(dirname "$0")/inside.sh"
