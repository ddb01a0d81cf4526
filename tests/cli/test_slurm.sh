#!/usr/bin/env bash
# ci/slurm on a cluster that lives on this machine: slurmctld, a slurmd a host and munged as Debian packages them, GPUs as
# generic resources without hardware, and the fake driver in their place. One host is slow, one has another GPU model, one
# is drained, one has a driver that sees no GPU.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
PATH=$PATH:/usr/sbin
export ACCPROBE_RECORD_FAKE=1
for tool in slurmctld slurmd munged sbatch; do
    command -v $tool >/dev/null || skip "$tool is not installed: apt-get install slurmctld slurmd slurm-client munge"
done

daemons=()
finish() {
    local file
    for file in "${daemons[@]}"; do
        if [ -s "$file" ]; then kill "$(cat "$file")" 2>/dev/null; fi
    done
    sleep 0.5
    rm -rf "$scratch"
}
trap finish EXIT

# started WORD COMMAND...: a daemon, or a skip where this machine does not let it run.
started() {
    local word=$1
    shift
    "$@" >"$scratch/$word.start" 2>&1 || skip "$word does not start here: $(tail -n1 "$scratch/$word.start")"
}

me=$(id -un)
mkdir -m 711 munge && mkdir state gpus
head -c 1024 /dev/urandom >munge/key && chmod 400 munge/key
daemons+=("$scratch/munge/pid")
chmod 755 "$scratch"
started munged munged --force --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" \
    --log-file="$scratch/munge/log" --seed-file="$scratch/munge/seed" --num-threads=1

# What each host has, and what its fake driver is like.
hosts=(quick1 quick2 slow other empty drained)
declare -A gpus=([quick1]=2 [quick2]=2 [slow]=1 [other]=1 [empty]=1 [drained]=1)
mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.socket() for i in range(7)]
for s in sockets: s.bind(("127.0.0.1", 0))
for s in sockets: print(s.getsockname()[1])')
cat >slurm.conf <<END
ClusterName=fake
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${ports[6]}
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
CredType=cred/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool-%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd-%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=100000
SlurmdParameters=config_overrides
GresTypes=gpu
PartitionName=gpus Nodes=ALL Default=YES State=UP MaxTime=10
END
for i in "${!hosts[@]}"; do
    host=${hosts[$i]}
    echo "NodeName=$host NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ports[$i]} CPUs=2 Gres=gpu:${gpus[$host]}" >>slurm.conf
    echo "NodeName=$host Name=gpu File=$scratch/gpus/gpu[0-$((gpus[$host] - 1))]" >>gres.conf
    mkdir "spool-$host"
done
sed -i 's/gpu\[0-0\]/gpu0/' gres.conf
touch gpus/gpu0 gpus/gpu1
# Nothing here uses control groups; version 2 of the plugin would not start where there are none.
echo CgroupPlugin=cgroup/v1 >cgroup.conf
export SLURM_CONF=$scratch/slurm.conf
daemons+=("$scratch/slurmctld.pid")
started slurmctld slurmctld -c
for host in "${hosts[@]}"; do
    daemons+=("$scratch/slurmd-$host.pid")
    started slurmd slurmd -N "$host"
done
for _ in $(seq 100); do
    [ "$(sinfo -hN -o %T | grep -c idle)" = ${#hosts[@]} ] && break
    sleep 0.1
done
[ "$(sinfo -hN -o %T | grep -c idle)" = ${#hosts[@]} ] || skip "the hosts of the cluster do not come up here: $(sinfo -hN -o '%N %T' | tr '\n' ' ')"
scontrol update nodename=drained state=drain reason=test || broken 'a host to be drained'

# accprobe as each host has it.
recording=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
cat >accprobe <<END
#!/usr/bin/env bash
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
export ACCP_FAKE_RUN=$recording ACCP_FAKE=two_devices ACCP_FAKE_SEED=\$\$
case \$SLURMD_NODENAME in
quick1) export ACCP_FAKE_HOST=1 ;;
quick2) export ACCP_FAKE_HOST=2 ;;
slow) export ACCP_FAKE_HOST=3 ACCP_FAKE_SCALE=optimal_chain29_acc2_effective2=1.03 ;;
other) export ACCP_FAKE_HOST=4 ACCP_FAKE=sku=h20 ;;
empty) export ACCP_FAKE=no_device ;;
esac
exec "$ACCP_BINARY_DIR/accprobe" "\$@"
END
chmod +x accprobe

# A checkout to record in.
mkdir -p repository/golden
(cd repository && git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test) || broken 'a repository'

slurm() {
    "$ACCP_SOURCE_DIR/ci/slurm" --tool "$scratch/accprobe" --poll 1 "$@"
}
status=0
slurm --out runs --sessions 3 -- --probe optimal >stdout 2>stderr || status=$?
[ $status = 3 ] || broken "exit status 3 for hosts that were missed, not $status"
grep -q 'missed: drained (1 GPU): it is drain' stderr || broken 'the drained host named'
grep -q 'missed: empty GPU 0 (0 of 3 sessions): accprobe: SKIP: NO_DEVICE' stderr || broken 'the host without a GPU named, with its reason'
[ "$(grep -c missed stderr)" = 2 ] || broken 'nothing else missed'
for pair in quick1:0 quick1:1 quick2:0 quick2:1 slow:0 other:0; do
    [ "$(find "runs/${pair%:*}" -name "gpu${pair#*:}-*.json" | wc -l)" = 3 ] || broken "three sessions of $pair: $(find runs)"
done
[ "$(grep -ho '"uuid_hash": "[0-9a-f]*"' runs/*/*.json | sort -u | wc -l)" = 6 ] || broken 'six GPUs told apart'
[ "$(find runs -name '*.json' | wc -l)" = 18 ] || broken 'no more runs than that'

# One golden of the model of which there are enough sessions; the slow host named and not in it; the other model refused.
status=0
./accprobe record --fleet --golden repository/golden --reason 'first fleet' runs/*/*.json >stdout 2>stderr || status=$?
[ $status = 4 ] || broken "exit status 4 for a model without a golden, not $status: $(cat stdout)"
grep 'KEPT OUT' stdout >kept_out
[ "$(wc -l <kept_out)" = 1 ] || broken "one GPU kept out: $(cat stdout)"
grep -q 'runs/slow .*stands apart: optimal.chain29.acc2 at [48] warps.*+[23]\.' kept_out || broken "the slow host named with its figure: $(cat kept_out)"
grep -q 'sm_90-78sm.* REFUSED .*3 sessions, and a golden needs 10' stdout || broken "the other model refused: $(cat stdout)"
golden=$(ls repository/golden/measured/sm_90-132sm-*/optimal.json)
[ "$(find repository/golden -name '*.json' | wc -l)" = 1 ] || broken "one golden: $(find repository/golden)"
python3 - "$golden" <<'END' || broken "12 sessions of four GPUs in the golden: $(grep chain29.acc2 "$golden")"
import json, sys
levels = json.load(open(sys.argv[1]))["levels"]
sys.exit(not (levels and all(level["sessions"] == 12 for level in levels)))
END
SLURMD_NODENAME=quick1 expect 0 '' ./accprobe gate --probe optimal --golden repository/golden
SLURMD_NODENAME=slow expect 1 '' ./accprobe gate --probe optimal --golden repository/golden

# What a person in a hurry does wrong.
expect 4 'holds runs already' slurm --out runs
expect 4 'give --out DIR' slurm --sessions 3
expect 4 'must be a whole number' slurm --out more --sessions none
expect 4 'no host with GPUs is up among drained' slurm --out more --hosts drained
expect 4 'unknown option' slurm --out more --session 3
echo passed
