#!/usr/bin/env bash
# A Slurm of one host, for one command: starts munged, slurmctld and slurmd with a configuration of their own, runs the command with
# SLURM_CONF set, and ends them again. Needs root. Usage: slurm.sh FOLDER COMMAND...
set -u
folder=$1
shift
host=$(hostname -s)
mkdir -p "$folder/state" "$folder/spool" /run/munge
folder=$(cd "$folder" && pwd)
port=$((20000 + $$ % 20000))
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=rnicsim
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SchedulerParameters=sched_interval=1,sched_min_interval=0
MaxArraySize=9
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
own_munge=0
finish() {
    for pid in "$folder/slurmd.pid" "$folder/slurmctld.pid"; do
        [ -s "$pid" ] && kill "$(cat "$pid")" 2>/dev/null
    done
    [ $own_munge = 1 ] && [ -s /run/munge/munged.pid ] && kill "$(cat /run/munge/munged.pid)" 2>/dev/null
}
trap finish EXIT
if ! munge -n 2>/dev/null | unmunge >/dev/null 2>&1; then
    chown munge:munge /run/munge
    runuser -u munge -- /usr/sbin/munged --force || exit 90
    own_munge=1
fi
slurmctld -f "$SLURM_CONF" || exit 91
slurmd -f "$SLURM_CONF" || exit 92
for _ in $(seq 100); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.2
done
sinfo -h -o %T | grep -q idle || exit 93
"$@"
